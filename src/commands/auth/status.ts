import { readSourceStates, sourceLines, usedTokenText } from '../../auth/source-states.ts';
import { maskToken } from '../../auth/token.ts';
import {
  type FoundToken,
  findToken,
  notSignedInError,
  readStoredToken,
  type TokenSourceOptions,
  withRenewalHint,
} from '../../auth/token-source.ts';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context } from '../../contract/command.ts';
import { flag, type Input, instant, many, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { fillPath, type Operation } from '../../contract/operation.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { accounts } from '../../resources/account.ts';
import { clusters } from '../../resources/cluster.ts';
import { pings } from '../../resources/reference.ts';
import { stacks } from '../../resources/stack.ts';
import { users } from '../../resources/user.ts';
import { variants } from '../../resources/variant.ts';
import { authUrlOf, baseUrlOf } from '../../settings/settings.ts';
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

/** Returns the state of the sign-in. Throws `unauthenticated` without a valid token. */
export async function readStatus(context: Context): Promise<RecordOf<typeof AuthStatus>> {
  const { settings, embedded } = context.host;
  const sandbox = embedded();
  const tokenInUse = await findTokenInUse(context);
  const sources = sourcesOf(context);
  const places = sandbox ? [usedTokenText(tokenInUse)] : sourceLines(readSourceStates(sources), tokenInUse);
  const baseUrl = sandbox?.baseUrl ?? baseUrlOf(settings);
  const verdict = await checkToken(context, tokenInUse.token, ({ details }) => {
    const message = `${baseUrl.origin} refused the token (${places.join('; ')})`;
    const tokenError = new CliError('unauthenticated', message, { ...details, hint: { path: 'auth login' } });
    return withRenewalHint(tokenError, tokenInUse.origin);
  });
  const storedToken = tokenInUse.origin.kind === 'profile' ? readStoredToken(sources) : undefined;
  return {
    profile: settings.profile,
    base_url: baseUrl.href,
    auth_url: sandbox ? baseUrl.origin : authUrlOf(settings).href,
    user: await whoAmI(context.call),
    token: maskToken(tokenInUse.token),
    origin: originText(tokenInUse.origin),
    scopes: tokenInUse.scopes ?? [],
    verdict,
    obtained_at: storedToken?.obtained_at ?? null,
    expires_at: storedToken?.expires_at ?? null,
    places,
  };
}

/** Returns the token that a command would send. Throws `unauthenticated` without a token. */
export async function findTokenInUse(context: Context): Promise<FoundToken> {
  const { settings, embedded } = context.host;
  const sandbox = embedded();
  if (sandbox) return sandbox.token;
  const sources = sourcesOf(context);
  const isTokenSet = readSourceStates(sources).some(({ state }) => state === 'used');
  const foundToken = isTokenSet ? await findToken({ ...sources, baseUrl: baseUrlOf(settings) }) : undefined;
  if (!foundToken) throw notSignedInError(settings.profile);
  return foundToken;
}

/** Throws `usage` with `--sandbox`: the embedded sandbox has its own token. A served sandbox is not refused. */
export function refuseSandbox({ host }: Context): void {
  if (!host.embedded()) return;
  throw new CliError('usage', 'the sandbox needs no sign-in: commands with --sandbox are signed in');
}

function sourcesOf({ warn, host }: Context): TokenSourceOptions {
  const { env, folders, settings, tokenCommand } = host;
  return { env, folders, profile: settings.profile, command: tokenCommand, warn };
}

/** Returns the owner of the token; null if the service does not say. */
export async function whoAmI(call: Context['call']): Promise<string | null> {
  const caller = await unlessRefused(call(pings.auth, {}));
  if (caller?.user_name) return caller.user_name;
  const visibleUsers = (await unlessRefused(call(users.list, {}))) ?? [];
  return visibleUsers.length === 1 ? (visibleUsers[0]?.email ?? null) : null;
}

async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    // A status means that the service lacks the endpoint or refuses it to this token, so the result is undefined.
    if (error instanceof CliError && error.details.status !== undefined) return undefined;
    throw error;
  });
}

/** Sends a read with a token and returns the verdict. After a 401 throws the error that `toRefusedError` makes. */
export async function checkToken({ host }: Context, token: string, toRefusedError: (error: CliError) => CliError) {
  const refusal = await host.verify(token).then(() => undefined, expectCliError);
  if (!refusal) return 'valid';
  if (refusal.kind === 'forbidden') return 'valid (limited scopes)';
  throw refusal.kind === 'unauthenticated' ? toRefusedError(refusal) : refusal;
}

const ScopeRecord = record(
  'scope',
  {
    scope: text('The scope.'),
    state: oneOf(['held', 'refused', 'not tried', 'unclear'], 'Whether the token has it.'),
    read: text('Request that tests it.'),
    asked: nullable(flag('Whether sign-in requested it, when known.')),
    note: nullable(text('What the result may mean.')),
  },
  ['scope', 'state', 'read', 'note'],
);
type ScopeRow = RecordOf<typeof ScopeRecord>;
type Scope = 'public' | 'users' | 'admin' | 'redeploy';

/** After a read, the token has the scope unless the read ended with `error`. If none was sent, `why` says why. */
interface ScopeTest {
  readonly read: string;
  readonly error?: CliError | undefined;
  readonly why?: string;
}

export const authCheckCommand = customCommand({
  moreEffects: ['reads_service'],
  about: 'Test which scopes the token has.',
  params: { stack_id: optional(stackParam) },
  examples: ['stackops auth check', 'stackops auth check -s shop --json'],
  calls: [],
  exits: [
    [0, 'also when a scope that was not requested is missing'],
    [5, 'the service refuses a requested scope; the table is printed'],
    [4, 'no token, or the service refuses it'],
  ],
  reply: rows(ScopeRecord),
  run: checkScopes,
});

async function checkScopes(context: Context): Promise<readonly ScopeRow[]> {
  const { scopes, requested = scopes } = await findTokenInUse(context);
  // The reads are sent one after another, so that a refused token is sent only once.
  const tests: readonly (readonly [Scope, ScopeTest])[] = [
    ['public', await tryRead(context, clusters.list)],
    ['users', await tryRead(context, accounts.list)],
    ['admin', await tryRead(context, users.list)],
    ['redeploy', await tryVariants(context)],
  ];
  const report = tests.map(([scope, outcome]) => scopeRow(scope, outcome, requested));
  const outage = tests.map(([, { error }]) => error).find((one) => one?.kind === 'unavailable');
  if (outage && !report.some(({ state }) => state === 'held' || state === 'refused')) throw outage;
  const refusedScopes = report.filter(({ state, asked }) => state === 'refused' && asked).map(({ scope }) => scope);
  if (refusedScopes.length === 0) return report;
  const message = `the service refuses ${refusedScopes.join(', ')}, which sign-in requested`;
  throw new CliError('forbidden', message, { partial: { value: report } });
}

async function tryRead(context: Context, operation: Operation, input: Input = {}): Promise<ScopeTest> {
  const error = await context.call(operation, input, { limit: 1 }).then(() => undefined, expectResponseError);
  return { read: `GET ${fillPath(operation.path, input)}`, error };
}

function expectResponseError(error: unknown): CliError {
  // A refused token or a lost response ends the whole check. Any other response is about one scope, so it is returned.
  const cliError = expectCliError(error);
  if (cliError.details.status !== undefined && cliError.kind !== 'unauthenticated') return cliError;
  throw error;
}

async function tryVariants(context: Context): Promise<ScopeTest> {
  const read = `GET ${variants.list.path}`;
  const isStackGiven = context.host.settings.get('stack').value !== undefined;
  const findFirstStack = async () => (await context.call(stacks.list, {}, { limit: 1 }))[0]?.uid;
  try {
    const uid = isStackGiven ? String(await context.resolveTarget(stackParam)) : await findFirstStack();
    if (uid === undefined) return { read, why: 'needs a stack; the list is empty' };
    return await tryRead(context, variants.list, { stack_id: uid });
  } catch (error) {
    if (!isStackGiven && expectResponseError(error)) return { read, why: 'needs a stack: give one with -s' };
    if (error instanceof CliError && ['not_found', 'ambiguous'].includes(error.kind))
      return { read, why: error.message };
    throw error;
  }
}

function scopeRow(scope: Scope, { read, error, why }: ScopeTest, requested: readonly string[] | undefined): ScopeRow {
  const asked = requested ? requested.includes(scope) : null;
  if (why !== undefined) return { scope, state: 'not tried', read, asked, note: why };
  if (!error) return { scope, state: 'held', read, asked, note: asked === false ? 'not requested at sign-in' : null };
  if (error.kind !== 'forbidden') return { scope, state: 'unclear', read, asked, note: error.message };
  return { scope, state: 'refused', read, asked, note: refusedNote(scope, requested) };
}

function refusedNote(scope: Scope, requested: readonly string[] | undefined): string {
  // The service sends 403 for a missing scope and for a missing permission, so the note names both.
  if (!requested) return 'the token lacks the scope, or your user a permission';
  if (requested.includes(scope)) return 'requested at sign-in; your user may lack a permission';
  return `not requested at sign-in: stackops auth login --scope ${[...requested, scope].join(',')}`;
}
