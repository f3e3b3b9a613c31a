import type { Topic } from './topic.ts';

/** `help auth`: where a token comes from, what it may do, and where it goes. */
export function authTopic(): Topic {
  return {
    title: 'Signing in',
    blocks: [
      {
        kind: 'text',
        text: 'A personal token comes from the Apps area of the web interface. It is read from stdin or a file, never from an argument. Signing in with the browser needs an OAuth application of your own. Register it at the service with the redirect address http://127.0.0.1:34543/callback. Its client ID and secret come from STACKOPS_CLIENT_ID and STACKOPS_CLIENT_SECRET, a file, stdin or a prompt. A token is stored only after the service has accepted it. A response with a wrong state cancels the sign-in; then sign in again. If the service reports invalid_scope, separate the scopes by blanks: stackops profile set scope_separator=space.',
      },
      {
        kind: 'rows',
        title: 'Where the token comes from: the first that is set',
        rows: [
          ['STACKOPS_TOKEN', 'Environment variable, for CI. It wins over every sign-in.'],
          ['token_command', 'Program that prints the token, set in the active profile. It may ask a keyring.'],
          ['the profile', 'The token that auth login stored for the active profile.'],
        ],
      },
      {
        kind: 'rows',
        title: 'Scopes',
        rows: [
          ['public', 'Read stacks, servers, deployments, databases and backups.'],
          ['redeploy', 'Deploy, change application variants, create clusters.'],
          ['users', 'Use accounts and your own user.'],
          ['admin', 'Change everything else; read environment variables and settings.'],
        ],
      },
      {
        kind: 'text',
        text: 'The help of each command names its scope. auth check tests which scopes a token has. A stored token is sent only to the origin it was obtained for; redirects are not followed. With --sandbox no real token is used. auth logout removes the token from this machine. It stays valid until it is revoked at the service.',
      },
      {
        kind: 'text',
        text: 'stackops auth --help lists the commands for signing in.',
      },
      {
        kind: 'examples',
        lines: [
          'printf %s "$TOKEN" | stackops auth login --token-stdin',
          "stackops profile set token_command='op read op://ops/stackops/token'",
          'stackops auth status',
          'stackops auth check',
        ],
      },
    ],
  };
}
