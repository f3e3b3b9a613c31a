import { openTokenStore } from '../../auth/token-store.ts';
import { customCommand, localCommand, writeLocally } from '../../builders/custom-command.ts';
import { forgetNames } from '../../completion/name-cache.ts';
import type { Menu } from '../../contract/command.ts';
import { commandText, flagWords } from '../../contract/command-line.ts';
import { flag, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import type { Settings } from '../../settings/settings.ts';
import { listOverridingSources, loginParams, SignInResult, signIn } from './login.ts';
import { AuthStatus, authCheckCommand, findTokenInUse, readStatus, refuseSandbox } from './status.ts';

const SignOutResult = record(
  'sign-out',
  { profile: text('Profile.'), forgotten: flag('Whether a token was removed.'), file: text('File the token was in.') },
  ['profile', 'forgotten'],
);

const loginCommand = localCommand({
  restriction: 'settings',
  moreEffects: ['reads_service', 'changes_machine', 'runs_program'],
  about: 'Sign in with the browser, or test and save a personal token.',
  params: loginParams,
  examples: [
    'stackops auth login',
    'stackops auth login --token-stdin < token.txt',
    'stackops auth login --no-browser --scope public,redeploy',
  ],
  exits: [[4, 'sign-in was denied, or the token was refused']],
  output: { kind: 'change', reply: one(SignInResult) },
  run: async (context, input) => {
    const row = await signIn(context, input);
    return { row, lines: [signInText(row, context.host.settings)] };
  },
  data: ({ row }) => row,
  present: ({ lines }) => ({ kind: 'done', lines }),
});

function signInText({ user, base_url, scopes, token, file }: SignInResult, { requestedProfile }: Settings) {
  const who = user === null ? `to ${base_url}` : `as ${user}`;
  const scopesText = scopes.length > 0 ? ` (${scopes.join(', ')})` : '';
  const flags = requestedProfile.origin.kind === 'flag' ? flagWords('-p', requestedProfile.value) : [];
  return `Signed in ${who}${scopesText}; token ${token} saved to ${file}. Next: ${commandText({ path: 'stack list', flags })}`;
}

const logoutCommand = localCommand({
  restriction: 'settings',
  moreEffects: ['changes_machine'],
  about: "Remove the profile's token.",
  params: {},
  examples: ['stackops auth logout', 'stackops auth logout --profile work'],
  output: { kind: 'change', reply: one(SignOutResult) },
  run: async (context) => {
    // `--sandbox` is refused, because logout would remove a real token.
    refuseSandbox(context);
    const { folders, settings } = context.host;
    const { profile } = settings;
    const tokenStore = openTokenStore(folders, context.warn);
    let forgotten = false;
    const isSignedOut = await writeLocally(context, `remove the token of profile ${profile}`, async () => {
      forgotten = await tokenStore.forget(profile);
      forgetNames(folders, profile);
    });
    if (isSignedOut)
      context.note(forgotten ? `Removed the token of profile ${profile}.` : `Profile ${profile} has no token.`);
    if (forgotten) context.note('The token is still valid; revoke it in the Apps area of the web interface.');
    for (const source of listOverridingSources(context)) context.warn(`${source} is set and is still used`);
    return { profile, forgotten, file: tokenStore.file };
  },
});

/** The commands to sign in and out. They change nothing at the service; login, status and check send only reads. */
export const authCommands: Menu = {
  'auth login': loginCommand,
  'auth status': customCommand({
    moreEffects: ['reads_service', 'reads_machine'],
    about: 'Show the token in use, its source and whether it is valid.',
    params: {},
    examples: ['stackops auth status', 'stackops auth status --json'],
    calls: [],
    exits: [[4, 'no token, or the service refuses it']],
    reply: one(AuthStatus),
    run: readStatus,
  }),
  'auth check': authCheckCommand,
  'auth token': localCommand({
    moreEffects: ['reads_machine', 'prints_secret'],
    about: 'Print the token in use, for other programs.',
    params: {},
    examples: ['stackops auth token'],
    supportsSandbox: true,
    exits: [[4, 'no token']],
    run: async (context) => (await findTokenInUse(context)).token,
    present: (token) => ({ kind: 'value', text: token }),
  }),
  'auth logout': logoutCommand,
};
