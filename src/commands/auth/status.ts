import { maskToken } from '../../auth/token.ts';
import {
  aboutRefusal,
  type FoundToken,
  findToken,
  notSignedIn,
  sourceLines,
  type TokenSourceOptions,
  tokenSourceStates,
  usedText,
} from '../../auth/token-source.ts';
import { openTokenStore } from '../../auth/token-store.ts';
import type { Context } from '../../contract/command.ts';
import { instant, many, nullable, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { pings } from '../../resources/ping.ts';
import { users } from '../../resources/user.ts';
import { authUrlOf, baseUrlOf } from '../../settings/addresses.ts';
import { originText } from '../../settings/table.ts';

export const AuthStatus = record(
  'sign-in state',
  {
    profile: text('Profile in use.'),
    base_url: text('Address of the service.'),
    auth_url: text('Address of the sign-in pages.'),
    user: nullable(text('Owner of the token, where the service says.')),
    token: text('The token in use, masked.'),
    origin: text('Source of the token.'),
    verdict: text('Whether the service accepts it.', { label: 'status' }),
    scopes: many(text('Scope.'), 'Scopes granted at sign-in, else those requested; empty when unknown.'),
    obtained_at: nullable(instant('When it was saved.')),
    expires_at: nullable(instant('When it expires, if the service said so.')),
    places: many(text('Source.'), 'Sources checked, in order.', { label: 'checked in order' }),
  },
  ['profile', 'base_url', 'user', 'token', 'origin', 'verdict', 'scopes'],
);

/** The state of the sign-in; throws unauthenticated with every source checked when there is no valid token. */
export async function readStatus(context: Context): Promise<RecordOf<typeof AuthStatus>> {
  const { settings, folders } = context.host;
  const embedded = context.host.embedded();
  const found = await tokenInUse(context);
  const places = embedded ? [usedText(found)] : sourceLines(tokenSourceStates(sourcesOf(context)), found);
  const baseUrl = embedded?.baseUrl ?? baseUrlOf(settings);
  const verdict = await checkToken(context, found.token, ({ details }) => {
    const message = `${baseUrl.origin} refused the token (${places.join('; ')})`;
    const refused = new CliError('unauthenticated', message, { ...details, hint: { path: 'auth login' } });
    return aboutRefusal(refused, found.origin);
  });
  const stored =
    found.origin.kind === 'profile' ? openTokenStore(folders, context.warn).read(settings.profile) : undefined;
  return {
    profile: settings.profile,
    base_url: baseUrl.href,
    auth_url: embedded ? baseUrl.origin : authUrlOf(settings).href,
    user: await whoAmI(context.call),
    token: maskToken(found.token),
    origin: originText(found.origin),
    scopes: found.scopes ?? [],
    verdict,
    obtained_at: stored?.obtained_at ?? null,
    expires_at: stored?.expires_at ?? null,
    places,
  };
}

/** The token that a command would send; throws unauthenticated without one. */
export async function tokenInUse(context: Context): Promise<FoundToken> {
  const { settings } = context.host;
  const embedded = context.host.embedded();
  if (embedded) return embedded.token;
  const sources = sourcesOf(context);
  const isSomewhere = tokenSourceStates(sources).some(({ state }) => state === 'used');
  const found = isSomewhere ? await findToken({ ...sources, baseUrl: baseUrlOf(settings) }) : undefined;
  if (!found) throw notSignedIn(settings.profile);
  return found;
}

/** The embedded sandbox has its own token. Signing in to a served sandbox takes --base-url. */
export function refuseSandbox({ host }: Context): void {
  if (!host.embedded()) return;
  throw new CliError('usage', 'the sandbox needs no sign-in: commands with --sandbox are signed in');
}

function sourcesOf({ warn, host }: Context): TokenSourceOptions {
  const { env, folders, settings, tokenCommand } = host;
  return { env, folders, profile: settings.profile, command: tokenCommand, warn };
}

/** The owner of the token; null where the service does not say. */
export async function whoAmI(call: Context['call']): Promise<string | null> {
  const caller = await unlessRefused(call(pings.auth, {}));
  if (caller?.user_name) return caller.user_name;
  const known = (await unlessRefused(call(users.list, {}))) ?? [];
  return known.length === 1 ? (known[0]?.email ?? null) : null;
}

async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    // The service has no such endpoint or refuses it to this token.
    if (error instanceof CliError && error.details.status !== undefined) return undefined;
    throw error;
  });
}

/** Checks that the service accepts a token; a 401 throws the error of `refused`. */
export async function checkToken({ host }: Context, token: string, refused: (error: CliError) => CliError) {
  const refusal = await host.verify(token).then(() => undefined, expectCliError);
  if (!refusal) return 'valid';
  if (refusal.kind === 'forbidden') return 'valid (limited scopes)';
  throw refusal.kind === 'unauthenticated' ? refused(refusal) : refusal;
}
