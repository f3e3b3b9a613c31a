import { randomBytes } from 'node:crypto';
import { authorizeUrl, awaitCode, requestToken } from '../../auth/login-flow.ts';
import { listenForRedirect } from '../../auth/redirect-listener.ts';
import { maskToken, usableToken } from '../../auth/token.ts';
import type { IssuedToken } from '../../auth/token-reply.ts';
import { tokenVariable } from '../../auth/token-source.ts';
import { openTokenStore, type TokenStore } from '../../auth/token-store.ts';
import { forgetNames } from '../../completion/name-cache.ts';
import type { Context } from '../../contract/command.ts';
import { flagWords } from '../../contract/command-line.ts';
import { flag, integer, many, nullable, optional, secret, text, type Values } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { durationMs } from '../../contract/values/time.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { changeProfile, configFilePath, readConfig } from '../../settings/config-file.ts';
import { authUrlOf, baseUrlOf, normaliseSetting } from '../../settings/settings.ts';
import { originText, type SettingName } from '../../settings/table.ts';
import { checkToken, refuseSandbox } from './status.ts';

export const loginParams = {
  token: optional(secret(text('Personal token from the Apps area of the web interface.'))),
  client_id: optional(text('OAuth client ID.', { placeholder: 'id' })),
  client_secret: optional(secret(text('OAuth client secret.'))),
  scope: optional(text('Scopes to request, comma-separated.', { placeholder: 'scopes' })),
  callback_port: optional(integer('Local port the browser returns to; 0 for any free one.', { range: [0, 65_535] })),
  no_browser: optional(flag('Print the address instead of opening it.')),
};
export type LoginInput = Values<typeof loginParams>;

export const SignInResult = record(
  'sign-in',
  {
    profile: text('Profile the token is saved for.'),
    user: nullable(text('Owner of the token, where the service says.')),
    base_url: text('Address of the service.'),
    token: text('The token, masked.'),
    scopes: many(text('Scope.'), 'Scopes granted, or requested where the service does not say.'),
    file: text('File the token is saved to.'),
  },
  ['profile', 'user', 'base_url', 'token', 'scopes'],
);
export type SignInResult = RecordOf<typeof SignInResult>;

/** Signs in with a given token or through the browser. The token is saved only if the service accepts it. */
export async function signIn(context: Context, input: LoginInput): Promise<SignInResult> {
  if (context.dryRun) throw new CliError('usage', 'auth login has no dry run', { nothing: 'sent' });
  refuseSandbox(context);
  if (input.token !== undefined && input.client_secret !== undefined) {
    throw new CliError('usage', 'give a personal token or a client secret, not both');
  }
  const { folders, settings } = context.host;
  const tokens = openTokenStore(folders, context.warn);
  const setup = { context, profile: readProfile(context), baseUrl: baseUrlOf(settings), tokens };
  await tokens.probe();
  for (const source of listOverridingSources(context)) context.warn(`${source} is set and overrides the saved token`);
  const token = input.token ?? (await askForToken(context, input));
  if (token === undefined) return signInByBrowser(setup, input);
  const scopes = input.scope && normaliseSetting('scope', input.scope, { kind: 'flag', name: '--scope' });
  return saveToken(setup, { token: token.trim() }, scopes?.split(',') ?? []);
}

export function listOverridingSources({ host }: Context): readonly string[] {
  const { env, tokenCommand } = host;
  const command = tokenCommand();
  return [...(env[tokenVariable] ? [tokenVariable] : []), ...(command ? [originText(command.origin)] : [])];
}

function readProfile({ host: { env, settings } }: Context): string {
  const profile = attempt(() => settings.profile);
  if (!(profile instanceof CliError)) return profile;
  // The profile is unknown, so the hint is the command that creates it.
  const { value } = settings.requestedProfile;
  const address = env['STACKOPS_BASE_URL'];
  const creationCommand = { path: 'profile set', operands: [`base_url=${address}`], flags: flagWords('-p', value) };
  throw profile.with({ hint: address ? creationCommand : { path: 'profile set', flags: ['--help'] } });
}

async function askForToken({ ask }: Context, input: LoginInput): Promise<string | undefined> {
  const isBrowserChosen = Object.values(input).some((value) => value !== undefined);
  if (!ask || isBrowserChosen) return undefined;
  const answer = await ask('Paste a personal token, or press Enter to sign in with the browser: ', { isHidden: true });
  return answer?.trim() || undefined;
}

interface LoginSetup {
  readonly context: Context;
  readonly profile: string;
  readonly baseUrl: URL;
  readonly tokens: TokenStore;
}

async function signInByBrowser(setup: LoginSetup, input: LoginInput): Promise<SignInResult> {
  const { context } = setup;
  const { host } = context;
  const { say, settings } = host;
  const readFlagOrSetting = (name: SettingName, flag: string, value: string | undefined) =>
    value === undefined ? settings.get(name).value : normaliseSetting(name, value, { kind: 'flag', name: flag });
  const scopes = (readFlagOrSetting('scope', '--scope', input.scope) ?? '').split(',');
  const port = Number(readFlagOrSetting('callback_port', '--callback-port', input.callback_port?.toString()));
  const clientId = readFlagOrSetting('client_id', '--client-id', input.client_id) ?? (await askForClientId(context));
  const clientSecret = await findClientSecret(context, input);
  // The default timeout is too short for a person, so only a timeout that was given with the flag counts.
  const { value: timeout = '', origin } = settings.get('timeout');
  const timeoutMs = (origin.kind === 'flag' ? durationMs(timeout) : undefined) ?? 300_000;
  const authUrl = authUrlOf(settings);
  const scopeSeparator = settings.get('scope_separator').value === 'space' ? 'space' : 'comma';
  const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const expected = { state, issuer: authUrl, scopeSeparator } as const;
  const listener = await listenForRedirect({ ...expected, port });
  try {
    const { redirectUrl } = listener;
    const request = { authUrl, clientId, clientSecret, scopes, scopeSeparator, redirectUrl, state, verifier } as const;
    const url = authorizeUrl(request);
    say('Open this address to sign in:');
    host.sayAddress(url);
    say(`Waiting up to ${timeoutMs / 1000} s for the browser at ${redirectUrl.href}`);
    const isNotOpened = !input.no_browser && !(await host.openBrowser(url));
    if (isNotOpened) say('Could not open a browser; open the address yourself.');
    const code = await awaitCode(listener, expected, { timeoutMs, signal: host.signal, paste: pasteReader(context) });
    const result = await saveToken(setup, await requestToken(request, code, host), scopes);
    // The browser shows success only after the token is verified and stored.
    await listener.finish('signed-in');
    return result;
  } finally {
    await listener.finish('failed');
  }
}

function pasteReader({ ask }: Context) {
  const question = 'Or paste the address it was redirected to, or the code: ';
  return ask && ((signal: AbortSignal) => ask(question, { isHidden: true, signal }));
}

async function saveToken(setup: LoginSetup, issued: IssuedToken, requested: readonly string[]): Promise<SignInResult> {
  const { context, profile, baseUrl, tokens } = setup;
  const { folders, ownerOf } = context.host;
  const scopes = issued.scopes ?? requested;
  const token = usableToken(issued.token, 'sign-in', baseUrl);
  const message = `${baseUrl.origin} refused the token; nothing was saved`;
  await checkToken(context, token, ({ kind, details }) => new CliError(kind, message, details));
  const nowMs = context.now().getTime();
  await tokens.write(profile, {
    token,
    origin: baseUrl.origin,
    scopes,
    requested,
    obtained_at: new Date(nowMs).toISOString(),
    ...(issued.expiresInSeconds && { expires_at: new Date(nowMs + issued.expiresInSeconds * 1000).toISOString() }),
  });
  forgetNames(folders, profile);
  await saveAddresses(setup);
  const missingScopes = requested.filter((scope) => !scopes.includes(scope));
  if (missingScopes.length > 0) context.warn(`the service did not grant the scopes ${missingScopes.join(', ')}`);
  const user = await ownerOf(token);
  return { profile, user, base_url: baseUrl.href, token: maskToken(token), scopes, file: tokens.file };
}

async function saveAddresses({ profile, context }: LoginSetup): Promise<void> {
  // Typed addresses are saved, so that later commands need no flag. An address that the profile has stays.
  const { folders, settings } = context.host;
  const file = configFilePath(folders());
  const storedValues = readConfig(file, context).profiles.get(profile);
  const typedNames = (['base_url', 'auth_url'] as const).filter((name) => {
    return !storedValues?.has(name) && settings.get(name).origin.kind === 'flag';
  });
  if (typedNames.length === 0) return;
  const changes = Object.fromEntries(typedNames.map((name) => [name, settings.get(name).value]));
  await changeProfile({ file, warn: context.warn }, profile, changes);
  context.note(`saved ${typedNames.join(' and ')} to profile ${profile}`);
}

async function askForClientId({ ask }: Context): Promise<string> {
  const id = (await ask?.('OAuth client ID: '))?.trim();
  if (id) return normaliseSetting('client_id', id);
  throw new CliError('usage', 'sign-in with the browser needs an OAuth client ID', {
    hint: 'set STACKOPS_CLIENT_ID and STACKOPS_CLIENT_SECRET, or use a personal token: stackops auth login --token-stdin',
  });
}

async function findClientSecret({ ask, host: { env } }: Context, { client_secret }: LoginInput): Promise<string> {
  const providedSecret = client_secret?.trim() || env['STACKOPS_CLIENT_SECRET'];
  const secret = providedSecret || (await ask?.('OAuth client secret: ', { isHidden: true }))?.trim();
  if (secret) return secret;
  throw new CliError('usage', 'sign-in with the browser needs an OAuth client secret', {
    hint: 'set STACKOPS_CLIENT_SECRET, or use --client-secret-stdin',
  });
}
