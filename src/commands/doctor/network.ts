import { renewal } from '../../auth/token-source.ts';
import { clockLine } from '../../problems/repairs.ts';
import { accounts } from '../../resources/account.ts';
import { reference } from '../../resources/reference.ts';
import type { ServiceAccess } from './access.ts';
import {
  type CheckResult,
  type DoctorContext,
  type Finding,
  ok,
  type Probed,
  problem,
  runCheck,
  skipped,
  warning,
} from './check.ts';
import { portResult } from './port.ts';
import { tlsResult } from './tls.ts';

/** One harmless request: when it was half way by our clock, and how long it took. */
interface ProbeAttempt {
  readonly probed: Probed;
  readonly halfMs: number;
  readonly tookMs: number;
}
type ProbeAnswer = ProbeAttempt & { readonly probed: Probed & { readonly kind: 'answer' } };

const whereFrom = 'stackops config list --origin';
const again = 'run stackops doctor again in a minute';
const checks = ['connection', 'TLS', 'clock', 'token accepted', 'callback port'];

/** At most two requests, one without and one with the token, and the port for sign-in. */
export async function examineNetwork(context: DoctorContext, access: ServiceAccess): Promise<readonly Finding[]> {
  const { baseUrl } = access;
  if (context.services.embedded()) {
    return checks.map((check) => ({ check, ...skipped('the embedded sandbox needs no network') }));
  }
  const port = await runCheck('callback port', () => portResult(context.services));
  if (!baseUrl)
    return [...checks.slice(0, -1).map((check) => ({ check, ...skipped('until the address is fixed') })), port];
  let attempt: ProbeAttempt | undefined;
  const connection = await runCheck('connection', async () => {
    attempt = await tryOnce(context, baseUrl);
    return connectionResult(attempt, baseUrl);
  });
  const answer = attempt && isAnswer(attempt) ? attempt : undefined;
  return [
    connection,
    await runCheck('TLS', () => tlsResult(context.services.env, baseUrl, attempt?.probed)),
    await runCheck('clock', () =>
      answer ? clockResult(answer, context.doctor.platform) : skipped('no response to compare with'),
    ),
    await runCheck('token accepted', () => (answer ? acceptedResult(context, access) : skipped('no connection'))),
    port,
  ];
}

function isAnswer(attempt: ProbeAttempt): attempt is ProbeAnswer {
  return attempt.probed.kind === 'answer';
}

async function tryOnce({ now, elapsed, doctor }: DoctorContext, baseUrl: URL): Promise<ProbeAttempt> {
  const sentMs = now().getTime();
  const startMs = elapsed();
  const probed = await doctor.probe(baseUrl, reference.webserverModules.path);
  const tookMs = elapsed() - startMs;
  return { probed, halfMs: sentMs + tookMs / 2, tookMs };
}

function connectionResult(attempt: ProbeAttempt, baseUrl: URL): CheckResult {
  const { probed, tookMs } = attempt;
  if (probed.kind === 'failure') return failureResult(probed, baseUrl);
  const { status, isJson } = probed;
  const found = `GET ${reference.webserverModules.path} returned ${status} in ${Math.round(tookMs)} ms`;
  if (status >= 500 || status === 429) return problem(`${found}: service error`, again);
  if (status >= 300 && status < 400) return problem(`${found}: it redirects`, whereFrom);
  if (status !== 200) return warning(`${found}: this may not be the service address`, whereFrom);
  if (!isJson) return warning(`${found}, but not JSON: this may not be the service address`, whereFrom);
  return ok(`${found}; ${working(baseUrl)} work`);
}

function failureResult({ stage, message }: Probed & { readonly kind: 'failure' }, { host }: URL): CheckResult {
  // The TLS check has the details and the fix.
  if (stage === 'certificate' || stage === 'TLS') return problem(`${host} responds, but TLS fails`, null);
  if (stage === 'proxy') return problem(`${message}`, 'check the proxy, or exempt the service with no_proxy');
  return problem(`${stage} failed: ${message}`, stage === 'HTTP' ? again : whereFrom);
}

function working({ protocol, hostname }: URL): string {
  const isNumber = /^[\d.]+$|^\[/.test(hostname);
  const parts = [...(isNumber ? [] : ['DNS']), 'TCP', ...(protocol === 'https:' ? ['TLS'] : [])];
  return `${parts.join(', ')} and HTTP`;
}

const mostSeconds = 60;

/** The server's clock is known only to half of the round trip. */
function clockResult({ probed, halfMs }: ProbeAnswer, platform: string): CheckResult {
  const theirMs = Date.parse(probed.date ?? '');
  if (Number.isNaN(theirMs)) return skipped('the response has no Date header');
  const ahead = Math.round((halfMs - theirMs) / 1000);
  const amount = `${Math.abs(ahead)} s`;
  if (Math.abs(ahead) <= mostSeconds) return ok(`${amount} from the service clock`);
  const found = `${amount} ${ahead > 0 ? 'ahead of' : 'behind'} the service clock`;
  return warning(found, `set the clock of this machine: ${clockLine(platform)}`);
}

async function acceptedResult({ doctor }: DoctorContext, { baseUrl, token }: ServiceAccess): Promise<CheckResult> {
  if (!baseUrl || !token) return skipped('until the token is fixed');
  const probed = await doctor.probe(baseUrl, accounts.list.path, token.token);
  if (probed.kind === 'failure') return problem(probed.message, again);
  if (probed.status === 200) return ok('valid');
  if (probed.status === 403) return ok('valid (limited scopes); see stackops auth check');
  if (probed.status !== 401) return warning(`unclear: GET ${accounts.list.path} returned ${probed.status}`, again);
  const repair = renewal(token.origin) ?? 'stackops auth login';
  return problem(`the service refused the token from ${token.origin} (401)`, repair);
}
