import { isAbsolute } from 'node:path';
import { listenForRedirect } from '../../auth/redirect-listener.ts';
import { renewalHint } from '../../auth/token-source.ts';
import type { HttpResponse } from '../../contract/exchange.ts';
import type { CommandHost } from '../../contract/host.ts';
import { CliError, expectCliError, syncClockCommand, trustAuthorityHint, unsetLine } from '../../errors/cli-error.ts';
import { rightsOf } from '../../files/rights.ts';
import { accounts } from '../../resources/account.ts';
import { reference } from '../../resources/reference.ts';
import { originText } from '../../settings/table.ts';
import type { ProbeFailure } from '../host.ts';
import {
  type CheckResult,
  type DoctorContext,
  type Finding,
  ok,
  problem,
  repairOf,
  runCheck,
  skipped,
  warning,
} from './check.ts';
import type { ServiceAccess } from './setup.ts';

const listOriginsCommand = 'stackops config list --origin';
const runAgainText = 'run stackops doctor again in a minute';
const checkNames = ['connection', 'TLS', 'clock', 'token accepted', 'callback port'];

/** Checks the network, the service (at most one request without the token, one with it) and the port for sign-in. */
export async function examineNetwork(context: DoctorContext, access: ServiceAccess): Promise<readonly Finding[]> {
  const { now, elapsed, host } = context;
  const { baseUrl } = access;
  const skipAll = (checks: readonly string[], why: string) => checks.map((check) => ({ check, ...skipped(why) }));
  if (host.embedded()) return skipAll(checkNames, 'the embedded sandbox needs no network');
  const portFinding = await runCheck('callback port', () => portResult(host));
  if (!baseUrl) return [...skipAll(checkNames.slice(0, -1), 'until the address is fixed'), portFinding];
  const sentMs = now().getTime();
  const startMs = elapsed();
  let probe: ProbeResult;
  let tookMs = 0;
  const connectionFinding = await runCheck('connection', async () => {
    probe = await host.probeService(baseUrl, reference.webserverModules.path);
    tookMs = elapsed() - startMs;
    return 'stage' in probe ? failureResult(probe, baseUrl) : connectionResult(probe, tookMs, baseUrl);
  });
  const response = probe && 'status' in probe ? probe : undefined;
  return [
    connectionFinding,
    await runCheck('TLS', () => tlsResult(host.env, baseUrl, probe)),
    // The service read its clock during the request, so it is compared with the time in the middle of the request.
    await runCheck('clock', () =>
      response ? clockResult(response, sentMs + tookMs / 2, host.platform) : skipped('no response to compare with'),
    ),
    await runCheck('token accepted', () =>
      response ? tokenAcceptedResult(context, access) : skipped('no connection'),
    ),
    portFinding,
  ];
}

function connectionResult({ status, text }: HttpResponse, tookMs: number, baseUrl: URL): CheckResult {
  const foundText = `GET ${reference.webserverModules.path} returned ${status} in ${Math.round(tookMs)} ms`;
  if (status >= 500 || status === 429) return problem(`${foundText}: service error`, runAgainText);
  if (status >= 300 && status < 400) return problem(`${foundText}: it redirects`, listOriginsCommand);
  if (status !== 200) return warning(`${foundText}: this may not be the service address`, listOriginsCommand);
  if (!isJson(text))
    return warning(`${foundText}, but not JSON: this may not be the service address`, listOriginsCommand);
  return ok(`${foundText}; ${workingLayersText(baseUrl)} work`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function failureResult({ stage, message }: ProbeFailure, { host }: URL): CheckResult {
  // For a failure of TLS, the TLS check shows the details and the fix, so this check has none.
  if (stage === 'certificate' || stage === 'TLS') return problem(`${host} responds, but TLS fails`, null);
  if (stage === 'proxy') return problem(message, 'check the proxy, or exempt the service with no_proxy');
  return problem(`${stage} failed: ${message}`, stage === 'HTTP' ? runAgainText : listOriginsCommand);
}

function workingLayersText({ protocol, hostname }: URL): string {
  const isIpAddress = /^[\d.]+$|^\[/.test(hostname);
  const parts = [...(isIpAddress ? [] : ['DNS']), 'TCP', ...(protocol === 'https:' ? ['TLS'] : [])];
  return `${parts.join(', ')} and HTTP`;
}

const insecureVariable = 'NODE_TLS_REJECT_UNAUTHORIZED';
const extraCaVariable = 'NODE_EXTRA_CA_CERTS';

type ProbeResult = HttpResponse | ProbeFailure | undefined;

function tlsResult(env: CommandHost['env'], { protocol }: URL, probe: ProbeResult): CheckResult {
  if (env[insecureVariable] === '0')
    return warning(`${insecureVariable}=0: certificates are not checked`, unsetLine(insecureVariable, env));
  const authoritiesFile = env[extraCaVariable];
  // Node says nothing about a missing file, so the file is looked for here.
  if (authoritiesFile && isAbsolute(authoritiesFile) && !rightsOf(authoritiesFile)) {
    return warning(`${extraCaVariable}: file not found: ${authoritiesFile}`, unsetLine(extraCaVariable, env));
  }
  if (protocol === 'http:') return skipped('plain HTTP on this machine');
  if (!probe) return skipped('no connection');
  if ('status' in probe) return ok(`the certificate is trusted${authoritiesFile ? `; ${extraCaVariable} is set` : ''}`);
  if (probe.stage === 'certificate') return problem(probe.message, trustAuthorityHint);
  return probe.stage === 'TLS' ? problem(probe.message, listOriginsCommand) : skipped('no connection');
}

function clockResult({ headers }: HttpResponse, ourMs: number, platform: string): CheckResult {
  const serviceMs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(serviceMs)) return skipped('the response has no Date header');
  const aheadSeconds = Math.round((ourMs - serviceMs) / 1000);
  const amountText = `${Math.abs(aheadSeconds)} s`;
  if (Math.abs(aheadSeconds) <= 60) return ok(`${amountText} from the service clock`);
  const foundText = `${amountText} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} the service clock`;
  return warning(foundText, `set the clock of this machine: ${syncClockCommand(platform)}`);
}

async function tokenAcceptedResult({ host }: DoctorContext, { baseUrl, token }: ServiceAccess): Promise<CheckResult> {
  if (!baseUrl || !token) return skipped('until the token is fixed');
  const probe = await host.probeService(baseUrl, accounts.list.path, token.token);
  if ('stage' in probe) return problem(probe.message, runAgainText);
  if (probe.status === 200) return ok('valid');
  if (probe.status === 403) return ok('valid (limited scopes); see stackops auth check');
  if (probe.status !== 401) return warning(`unclear: GET ${accounts.list.path} returned ${probe.status}`, runAgainText);
  const repair = renewalHint(token.origin) ?? 'stackops auth login';
  return problem(`the service refused the token from ${originText(token.origin)} (401)`, repair);
}

async function portResult({ settings }: CommandHost): Promise<CheckResult> {
  const { value = '0', origin } = settings.get('callback_port');
  if (value === '0') return ok(`any free port (${originText(origin)})`);
  // A listener on the port is opened as for a sign-in, and closed at once.
  const listener = await listenForRedirect({
    port: Number(value),
    state: 'none',
    issuer: new URL('http://none.invalid'),
    scopeSeparator: 'comma',
  }).catch(expectCliError);
  // A port in use is only a warning, because a token from the environment needs no port.
  if (listener instanceof CliError) return warning(listener.message, repairOf(listener) ?? '');
  await listener.finish('failed');
  return ok(`${value} is free (${originText(origin)})`);
}
