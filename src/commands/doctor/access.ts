import { sourceLines, tokenSourceStates, usedText } from '../../auth/source-states.ts';
import {
  type FoundToken,
  findToken,
  notSignedIn,
  type TokenSourceOptions,
  tokenVariable,
} from '../../auth/token-source.ts';
import type { CommandHost } from '../../contract/host.ts';
import { isLoopback } from '../../contract/values/text.ts';
import { authUrlOf, baseUrlOf, setAddress } from '../../settings/settings.ts';
import { originText } from '../../settings/table.ts';
import { missingProgram } from '../profile/missing-program.ts';
import {
  type CheckResult,
  type DoctorContext,
  type Finding,
  ok,
  problem,
  runCheck,
  skipped,
  warning,
} from './check.ts';
import { isTokenFileOpen } from './machine.ts';

export type ServiceAccess = Awaited<ReturnType<typeof examineAccess>>;

/** Checks profile, addresses, token and proxy. A check is skipped until the one it depends on is ok. */
export async function examineAccess(context: DoctorContext) {
  const profile = await runCheck('profile', () => profileResult(context));
  const isKnown = profile.state === 'ok';
  const address = await runCheck('address', () => (isKnown ? addressResult(context) : after('profile')));
  const baseUrl = address.state === 'ok' ? addressIn(context) : undefined;
  const signIn = await runCheck('sign-in address', () => (baseUrl ? signInResult(context) : after('address')));
  const token = await runCheck('token', () => (isKnown ? tokenResult(context, baseUrl) : after('profile')));
  const approval = isKnown ? await approvalFindings(context.host) : [];
  const proxy = await runCheck('proxy', () => (baseUrl ? proxyResult(context, baseUrl) : after('address')));
  const found = baseUrl && token.state === 'ok' ? await tokenIn(context, baseUrl) : undefined;
  const agent = isKnown ? await agentFindings(context.host, found) : [];
  return { findings: [profile, address, signIn, token, ...agent, ...approval, proxy], baseUrl, token: found };
}

async function agentFindings(host: CommandHost, token: FoundToken | undefined): Promise<readonly Finding[]> {
  const { agent, settings } = host;
  if (agent === undefined) return [];
  const mode = host.embedded() ? 'write' : settings.get('agents').value;
  // `stackops mcp` sets the variable to its own name.
  const by = host.env[agent] === 'stackops mcp' ? 'stackops mcp' : `${agent} is set`;
  const seen = `${by}: agents=${mode}`;
  const beyond = token?.scopes?.filter((scope) => scope !== 'public');
  const agentResult = () => {
    if (mode === 'write' || !token) return ok(seen);
    if (beyond?.length === 0) return ok(`${seen}; the token only reads`);
    const scopes = beyond ? `also has ${beyond.join(', ')}` : 'has unknown scopes';
    return warning(`${seen}; the token could do more: it ${scopes}`, 'stackops auth login --scope public');
  };
  return [await runCheck('agent', agentResult)];
}

async function approvalFindings(host: CommandHost): Promise<readonly Finding[]> {
  const { settings } = host;
  const command = settings.get('approve_command').value;
  if (command === undefined) return [];
  const approvalResult = () => {
    if (settings.get('approve_command_trusted').value !== 'true')
      return problem(`${command} is not run: others could have set it`, 'set it again with stackops profile set');
    const missing = missingProgram(command, host);
    if (missing === undefined) return ok(`${command} must approve every change`);
    return problem(`${command}: program not found; no change can be sent`, `install ${missing}`);
  };
  return [await runCheck('approval', approvalResult)];
}

function after(check: string): CheckResult {
  return skipped(`until the ${check} is fixed`);
}

function profileResult({ host: { settings } }: DoctorContext): CheckResult {
  return ok(`${settings.profile} (${originText(settings.requestedProfile.origin)})`);
}

function addressIn({ host }: DoctorContext): URL {
  return host.embedded()?.baseUrl ?? baseUrlOf(host.settings);
}

function addressResult(context: DoctorContext): CheckResult {
  const { settings, embedded } = context.host;
  if (!embedded() && settings.get('base_url').value === undefined) {
    return problem('no service address yet', setAddress);
  }
  const { href } = addressIn(context);
  if (embedded()) return ok(`${href}, the embedded sandbox`);
  return ok(`${href} (${originText(settings.get('base_url').origin)})`);
}

function signInResult({ host: { settings, embedded } }: DoctorContext): CheckResult {
  if (embedded()) return skipped('the embedded sandbox needs no sign-in');
  return ok(`${authUrlOf(settings).href} (${originText(settings.get('auth_url').origin)})`);
}

async function tokenResult(context: DoctorContext, baseUrl: URL | undefined): Promise<CheckResult> {
  const { host } = context;
  const embedded = host.embedded();
  if (embedded) return ok(usedText(embedded.token));
  // A read would repair the rights, and doctor changes nothing.
  const isFileNeeded = !host.env[tokenVariable] && !host.tokenCommand();
  if (isTokenFileOpen(context) && isFileNeeded) return after('token file');
  const sources = isTokenFileOpen(context) ? undefined : tokenSourceStates(sourcesOf(context));
  if (sources && !sources.some(({ state }) => state === 'used')) throw notSignedIn(host.settings.profile);
  if (!baseUrl) return after('address');
  const found = await tokenIn(context, baseUrl);
  if (!found) throw notSignedIn(host.settings.profile);
  return ok(sources ? sourceLines(sources, found).join('; ') : usedText(found));
}

async function tokenIn(context: DoctorContext, baseUrl: URL): Promise<FoundToken | undefined> {
  return context.host.embedded()?.token ?? findToken({ ...sourcesOf(context), baseUrl });
}

function sourcesOf({ host, folders }: DoctorContext): TokenSourceOptions {
  const { env, settings, tokenCommand } = host;
  return { env, folders: () => folders, profile: settings.profile, command: tokenCommand };
}

const proxyNames = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];

async function proxyResult({ host }: DoctorContext, baseUrl: URL): Promise<CheckResult> {
  if (host.embedded()) return skipped('the embedded sandbox needs no network');
  const seen = proxyNames.flatMap((name) => [name, name.toUpperCase()]).filter((name) => host.env[name]);
  if (seen.length === 0) return ok('no proxy is set');
  const proxy = await host.proxyFor(baseUrl);
  const set = `${seen.join(', ')} set`;
  if (proxy) return ok(`${set}; ${baseUrl.host} is reached through ${proxy}`);
  const why = isLoopback(baseUrl) ? ' (this machine)' : '';
  return ok(`${set}; ${baseUrl.host} is reached directly${why}`);
}
