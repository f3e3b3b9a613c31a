import { tokenVariable } from '../../auth/token-source.ts';
import { openTokenStore } from '../../auth/token-store.ts';
import type { Menu } from '../../contract/command.ts';
import { flag, instant, integer, many, nullable, optional, secret, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { local } from '../../kinds/local.ts';
import { script } from '../../kinds/script.ts';
import { writeLocally } from '../local-write.ts';
import type { Services } from '../services.ts';
import { checkCommand } from './check.ts';
import { signIn } from './login.ts';
import { readStanding, refuseSandbox, tokenInUse } from './status.ts';

const SignInRecord = record(
  'sign-in',
  {
    profile: text('Profile the token is stored for.'),
    base_url: text('Address of the service.'),
    token: text('The token, masked.'),
    scopes: many(text('Scope.'), 'Scopes granted, or asked for where the service does not say.'),
    file: text('File that holds it.'),
  },
  ['profile', 'base_url', 'token', 'scopes'],
);

const StandingRecord = record(
  'sign-in state',
  {
    profile: text('Profile in use.'),
    base_url: text('Address of the service.'),
    auth_url: text('Address of the sign-in pages.'),
    user: nullable(text('Whose token it is, where the service tells.')),
    token: text('The token in use, masked.'),
    origin: text('Where it came from.'),
    verdict: text('What the service says to it.'),
    scopes: many(
      text('Scope.'),
      'Scopes granted at sign-in, or asked for where the service did not say; empty when not known.',
    ),
    obtained_at: nullable(instant('When it was stored.')),
    expires_at: nullable(instant('When it expires, if the service said so.')),
    places: many(text('Place.'), 'Every place a token could come from.'),
  },
  ['profile', 'base_url', 'user', 'token', 'origin', 'verdict', 'scopes'],
);

const SignOutRecord = record(
  'sign-out',
  { profile: text('Profile.'), forgotten: flag('Whether a token was stored.'), file: text('File it was stored in.') },
  ['profile', 'forgotten'],
);

/** Signing in and out. None of these is an operation of the service; login, status and check make harmless reads. */
export function authCommands(services: Services): Menu {
  return {
    'auth login': loginCommand(services),
    'auth status': script({
      about: 'Show which token is used, where it came from, and whether the service takes it.',
      params: {},
      examples: ['stackops auth status', 'stackops auth status --json'],
      calls: [],
      exits: [[4, 'no token, or the service refuses it']],
      reply: one(StandingRecord),
      run: (context) => readStanding(context, services),
    }),
    'auth check': checkCommand(services),
    'auth token': local({
      about: 'Print the token in use, for other programs.',
      params: {},
      examples: ['stackops auth token'],
      knowsSandbox: true,
      exits: [[4, 'no token']],
      run: async (context) => tokenInUse(context, services).token,
      present: (token) => ({ kind: 'value', text: token }),
    }),
    'auth logout': logoutCommand(services),
  };
}

function loginCommand(services: Services) {
  return local({
    about: 'Sign in with the browser, or store a personal token after the service has taken it.',
    params: {
      token: optional(secret(text('Personal token from the Apps area of the web interface.'))),
      client_id: optional(text('Id of your application.', { placeholder: 'id' })),
      client_secret: optional(secret(text('Secret of your application.'))),
      scope: optional(text('Scopes to ask for, with commas.', { placeholder: 'scopes' })),
      callback_port: optional(
        integer('Port of this machine that the browser is sent back to; 0 for any.', { range: [0, 65_535] }),
      ),
      no_browser: optional(flag('Only print the address; open it yourself, here or elsewhere.')),
    },
    examples: [
      'stackops auth login',
      'stackops auth login --token-stdin < token.txt',
      'stackops auth login --no-browser --scope public,redeploy',
    ],
    exits: [[4, 'consent or the token was refused']],
    output: { kind: 'change', reply: one(SignInRecord) },
    run: (context, input) => signIn(context, services, input),
    present: ({ base_url, profile, token, file }) => ({
      kind: 'done',
      lines: [`Signed in to ${base_url} with profile ${profile}; token ${token} is kept in ${file}.`],
    }),
  });
}

function logoutCommand(services: Services) {
  return local({
    about: "Forget the profile's token.",
    params: {},
    examples: ['stackops auth logout', 'stackops auth logout --profile work'],
    output: { kind: 'change', reply: one(SignOutRecord) },
    run: async (context) => {
      // The token it would forget is a real one.
      refuseSandbox(services);
      const { profile } = services.settings();
      const tokens = openTokenStore(services.folders, context.warn);
      let forgotten = false;
      const isDone = await writeLocally(context, { act: `forget the token of profile ${profile}` }, async () => {
        forgotten = await tokens.forget(profile);
      });
      if (isDone)
        context.note(forgotten ? `Forgot the token of profile ${profile}.` : `Profile ${profile} holds no token.`);
      if (forgotten) context.note('It is still valid at the service; revoke it in the Apps area of the web interface.');
      if (services.env[tokenVariable]) context.warn(`${tokenVariable} is set and goes on being used`);
      return { profile, forgotten, file: tokens.file };
    },
    present: () => ({ kind: 'nothing' }),
  });
}
