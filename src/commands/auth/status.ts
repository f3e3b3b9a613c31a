import { maskToken } from '../../auth/redact.ts';
import {
  aboutRefusal,
  type FoundToken,
  findToken,
  notSignedIn,
  type TokenSources,
  tokenPlaces,
} from '../../auth/token-source.ts';
import { openTokenStore } from '../../auth/token-store.ts';
import type { Context } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { pings } from '../../resources/ping.ts';
import { users } from '../../resources/user.ts';
import { authUrlOf, baseUrlOf } from '../../settings/addresses.ts';
import type { Services } from '../services.ts';

export interface Standing {
  readonly profile: string;
  readonly base_url: string;
  readonly auth_url: string;
  /** Null where the service does not tell. */
  readonly user: string | null;
  /** Masked. */
  readonly token: string;
  readonly origin: string;
  /** Empty when nobody told us. */
  readonly scopes: readonly string[];
  readonly verdict: string;
  readonly obtained_at: string | null;
  readonly expires_at: string | null;
  readonly places: readonly string[];
}

/** Who we are at the service; throws unauthenticated, naming every place looked at, when we are nobody. */
export async function readStanding(context: Context, services: Services): Promise<Standing> {
  const settings = services.settings();
  const embedded = services.embedded();
  const found = tokenInUse(context, services);
  const places = embedded ? [`${found.origin}: used, ${maskToken(found.token)}`] : placesOf(context, services);
  const baseUrl = embedded?.baseUrl ?? baseUrlOf(settings);
  const verdict = await verdictOf(services, { found, places, baseUrl });
  const stored = found.origin.startsWith('profile ')
    ? openTokenStore(services.folders, context.warn).read(settings.profile)
    : undefined;
  return {
    profile: settings.profile,
    base_url: baseUrl.href,
    auth_url: embedded ? baseUrl.origin : authUrlOf(settings).href,
    user: await whoAmI(context),
    token: maskToken(found.token),
    origin: found.origin,
    scopes: found.scopes ?? [],
    verdict,
    obtained_at: stored?.obtained_at ?? null,
    expires_at: stored?.expires_at ?? null,
    places,
  };
}

/** The token a command would send; throws unauthenticated when there is none. */
export function tokenInUse(context: Context, services: Services): FoundToken {
  const settings = services.settings();
  const { profile } = settings;
  const embedded = services.embedded();
  if (embedded) return embedded.token;
  const places = tokenPlaces(sourcesOf(context, services));
  if (places.every(({ token }) => token === undefined)) throw notSignedIn(profile);
  const found = findToken({ ...sourcesOf(context, services), baseUrl: baseUrlOf(settings) });
  if (!found) throw notSignedIn(profile);
  return found;
}

/** The embedded sandbox brings its own token; to sign in to a served one, its address is given like any other. */
export function refuseSandbox(services: Services): void {
  if (!services.embedded()) return;
  throw new Problem('usage', 'the embedded sandbox needs no sign-in: every command with --sandbox is signed in');
}

function sourcesOf(context: Context, services: Services): Omit<TokenSources, 'baseUrl'> {
  return { env: services.env, folders: services.folders, profile: services.settings().profile, warn: context.warn };
}

function placesOf(context: Context, services: Services): readonly string[] {
  return tokenPlaces(sourcesOf(context, services)).map(
    ({ place, state, token }) => `${place}: ${token ? `${state}, ${token}` : state}`,
  );
}

/** Whose token it is; null where the service does not tell. */
async function whoAmI(context: Context): Promise<string | null> {
  const caller = await unlessRefused(context.call(pings.auth, {}));
  if (caller?.user_name) return caller.user_name;
  const known = (await unlessRefused(context.call(users.list, {}))) ?? [];
  return known.length === 1 ? (known[0]?.email ?? null) : null;
}

/** Undefined when the service has no such endpoint, or keeps it from this token. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof Problem && error.details.status !== undefined) return undefined;
    throw error;
  });
}

interface Tried {
  readonly found: FoundToken;
  readonly places: readonly string[];
  readonly baseUrl: URL;
}

async function verdictOf(services: Services, { found, places, baseUrl }: Tried): Promise<string> {
  try {
    await services.verify(found.token);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind === 'forbidden') return 'accepted, with narrow scopes';
    if (error.kind !== 'unauthenticated') throw error;
    const message = `${baseUrl.origin} refused the token (${places.join('; ')})`;
    const refused = new Problem('unauthenticated', message, { ...error.details, hint: { path: 'auth login' } });
    throw aboutRefusal(refused, found.origin);
  }
}
