import { maskToken } from '../../auth/redact.ts';
import { type FoundToken, findToken, notSignedIn, tokenPlaces, tokenVariable } from '../../auth/token-source.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { authUrlOf, baseUrlOf } from '../../settings/addresses.ts';
import { examined, type Finding, ok, problem, type Surgery, skipped, type Verdict } from './check.ts';
import { isTokenFileOpen } from './machine.ts';

/** All that is settled before a request; what could not be told is undefined. */
export interface Access {
  readonly findings: readonly Finding[];
  readonly baseUrl: URL | undefined;
  readonly token: FoundToken | undefined;
}

/** Profile, addresses, token and proxy. A check that rests on another one waits until that is in order. */
export async function examineAccess(surgery: Surgery): Promise<Access> {
  const profile = await examined('profile', () => profileVerdict(surgery));
  const isKnown = profile.state === 'ok';
  const address = await examined('address', () => (isKnown ? addressVerdict(surgery) : after('profile')));
  const baseUrl = address.state === 'ok' ? addressIn(surgery) : undefined;
  const signIn = await examined('sign-in address', () => (baseUrl ? signInVerdict(surgery) : after('address')));
  const token = await examined('token', () => (isKnown ? tokenVerdict(surgery, baseUrl) : after('profile')));
  const proxy = await examined('proxy', () => (baseUrl ? proxyVerdict(surgery, baseUrl) : after('address')));
  return {
    findings: [profile, address, signIn, token, proxy],
    baseUrl,
    token: baseUrl && token.state === 'ok' ? tokenIn(surgery, baseUrl) : undefined,
  };
}

function after(check: string): Verdict {
  return skipped(`the ${check} comes first`);
}

function profileVerdict({ services }: Surgery): Verdict {
  const settings = services.settings();
  return ok(`${settings.profile} (${settings.wantedProfile.origin})`);
}

function addressIn({ services }: Surgery): URL {
  return services.embedded()?.baseUrl ?? baseUrlOf(services.settings());
}

function addressVerdict(surgery: Surgery): Verdict {
  const { settings, embedded } = surgery.services;
  if (!embedded() && settings().get('base_url').value === undefined) {
    return problem('no address of the service', 'stackops profile set --help');
  }
  const { href } = addressIn(surgery);
  if (embedded()) return ok(`${href}, the embedded sandbox`);
  return ok(`${href} (${surgery.services.settings().get('base_url').origin})`);
}

function signInVerdict({ services }: Surgery): Verdict {
  if (services.embedded()) return skipped('the embedded sandbox needs no sign-in');
  const settings = services.settings();
  return ok(`${authUrlOf(settings).href} (${settings.get('auth_url').origin})`);
}

function tokenVerdict(surgery: Surgery, baseUrl: URL | undefined): Verdict {
  const { services } = surgery;
  const embedded = services.embedded();
  if (embedded) return ok(`${embedded.token.origin}: used, ${maskToken(embedded.token.token)}`);
  // To read the file would take those rights away, and nothing is changed here.
  if (isTokenFileOpen(surgery) && !services.env[tokenVariable]) return after('token file');
  const places = isTokenFileOpen(surgery) ? undefined : tokenPlaces(sourcesOf(surgery));
  if (places?.every(({ token }) => token === undefined)) throw notSignedIn(services.settings().profile);
  if (!baseUrl) return after('address');
  const found = tokenIn(surgery, baseUrl);
  if (!found) throw notSignedIn(services.settings().profile);
  if (!places) return ok(`${found.origin}: used, ${maskToken(found.token)}`);
  return ok(places.map(({ place, state, token }) => `${place}: ${token ? `${state}, ${token}` : state}`).join('; '));
}

function tokenIn(surgery: Surgery, baseUrl: URL): FoundToken | undefined {
  return surgery.services.embedded()?.token ?? findToken({ ...sourcesOf(surgery), baseUrl });
}

function sourcesOf({ services, folders }: Surgery) {
  return { env: services.env, folders: () => folders, profile: services.settings().profile };
}

const proxyVariables = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [
  name,
  name.toUpperCase(),
]);

function proxyVerdict({ services, doctor }: Surgery, baseUrl: URL): Verdict {
  if (services.embedded()) return skipped('the embedded sandbox needs no network');
  const seen = proxyVariables.filter((name) => services.env[name]);
  if (seen.length === 0) return ok('none is set');
  const proxy = doctor.proxyFor(baseUrl);
  const set = `${seen.join(', ')} set`;
  if (proxy && !proxy.isExempt) return ok(`${set}; ${baseUrl.host} is reached through ${proxy.host}`);
  const why = isLoopback(baseUrl) ? ', as this machine always is' : '';
  return ok(`${set}; ${baseUrl.host} is reached directly${why}`);
}
