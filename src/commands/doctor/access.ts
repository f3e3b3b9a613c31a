import {
  type FoundToken,
  findToken,
  notSignedIn,
  placeLines,
  type TokenSourceOptions,
  tokenSourceStates,
  tokenVariable,
  usedText,
} from '../../auth/token-source.ts';
import { isLoopback } from '../../contract/values/loopback.ts';
import { authUrlOf, baseUrlOf, setAddress } from '../../settings/addresses.ts';
import { originText } from '../../settings/origin.ts';
import { missingProgram } from '../profile/missing-program.ts';
import type { Services } from '../services.ts';
import { type CheckResult, type DoctorContext, type Finding, ok, problem, runCheck, skipped } from './check.ts';
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
  const approval = isKnown ? await approvalFindings(context.services) : [];
  const proxy = await runCheck('proxy', () => (baseUrl ? proxyResult(context, baseUrl) : after('address')));
  return {
    findings: [profile, address, signIn, token, ...approval, proxy],
    baseUrl,
    token: baseUrl && token.state === 'ok' ? await tokenIn(context, baseUrl) : undefined,
  };
}

async function approvalFindings(services: Services): Promise<readonly Finding[]> {
  const settings = services.settings();
  const command = settings.get('approve_command').value;
  if (command === undefined) return [];
  const approvalResult = () => {
    if (settings.get('approve_command_trusted').value !== 'true')
      return problem(`${command} is not run: others could have set it`, 'set it again with stackops profile set');
    const missing = missingProgram(command, services);
    if (missing === undefined) return ok(`${command} must approve every change`);
    return problem(`${command}: program not found; no change can be sent`, `install ${missing}`);
  };
  return [await runCheck('approval', approvalResult)];
}

function after(check: string): CheckResult {
  return skipped(`until the ${check} is fixed`);
}

function profileResult({ services }: DoctorContext): CheckResult {
  const settings = services.settings();
  return ok(`${settings.profile} (${originText(settings.wantedProfile.origin)})`);
}

function addressIn({ services }: DoctorContext): URL {
  return services.embedded()?.baseUrl ?? baseUrlOf(services.settings());
}

function addressResult(context: DoctorContext): CheckResult {
  const { settings, embedded } = context.services;
  if (!embedded() && settings().get('base_url').value === undefined) {
    return problem('no service address yet', setAddress);
  }
  const { href } = addressIn(context);
  if (embedded()) return ok(`${href}, the embedded sandbox`);
  return ok(`${href} (${originText(context.services.settings().get('base_url').origin)})`);
}

function signInResult({ services }: DoctorContext): CheckResult {
  if (services.embedded()) return skipped('the embedded sandbox needs no sign-in');
  const settings = services.settings();
  return ok(`${authUrlOf(settings).href} (${originText(settings.get('auth_url').origin)})`);
}

async function tokenResult(context: DoctorContext, baseUrl: URL | undefined): Promise<CheckResult> {
  const { services } = context;
  const embedded = services.embedded();
  if (embedded) return ok(usedText(embedded.token));
  // Not read: reading would repair the rights, and doctor changes nothing.
  const isFileNeeded = !services.env[tokenVariable] && !services.tokenCommand();
  if (isTokenFileOpen(context) && isFileNeeded) return after('token file');
  const places = isTokenFileOpen(context) ? undefined : tokenSourceStates(sourcesOf(context));
  if (places && !places.some(({ state }) => state === 'used')) throw notSignedIn(services.settings().profile);
  if (!baseUrl) return after('address');
  const found = await tokenIn(context, baseUrl);
  if (!found) throw notSignedIn(services.settings().profile);
  if (!places) return ok(usedText(found));
  return ok(placeLines(places, found).join('; '));
}

async function tokenIn(context: DoctorContext, baseUrl: URL): Promise<FoundToken | undefined> {
  return context.services.embedded()?.token ?? findToken({ ...sourcesOf(context), baseUrl });
}

function sourcesOf({ services, folders }: DoctorContext): TokenSourceOptions {
  const { env, settings, tokenCommand } = services;
  return { env, folders: () => folders, profile: settings().profile, command: tokenCommand };
}

const proxyNames = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];

function proxyResult({ services, doctor }: DoctorContext, baseUrl: URL): CheckResult {
  if (services.embedded()) return skipped('the embedded sandbox needs no network');
  const seen = proxyNames.flatMap((name) => [name, name.toUpperCase()]).filter((name) => services.env[name]);
  if (seen.length === 0) return ok('no proxy is set');
  const proxy = doctor.proxyFor(baseUrl);
  const set = `${seen.join(', ')} set`;
  if (proxy) return ok(`${set}; ${baseUrl.host} is reached through ${proxy}`);
  const why = isLoopback(baseUrl) ? ' (this machine)' : '';
  return ok(`${set}; ${baseUrl.host} is reached directly${why}`);
}
