import type { Topic } from './topic.ts';

/** `help auth`: where a token comes from, what it may do, and where it goes. */
export function authTopic(): Topic {
  return {
    title: 'Signing in',
    blocks: [
      {
        kind: 'text',
        text: 'A personal token, from the Apps area of the web interface, is read from stdin or a file and never from an argument. Signing in with the browser needs an application of your own, registered at the service with the redirect address http://127.0.0.1:34543/callback; its id and secret come from STACKOPS_CLIENT_ID and STACKOPS_CLIENT_SECRET, a file, stdin or a prompt. A token is stored only after the service has taken it. An answer with a wrong state ends the sign-in, as the service demands; then sign in again. Where the service answers invalid_scope, stackops profile set scope_separator=space puts blanks between the scopes.',
      },
      {
        kind: 'rows',
        title: 'Where the token comes from, the first that is set',
        rows: [
          ['STACKOPS_TOKEN', 'The environment; for CI. It wins over every sign-in.'],
          ['the profile', 'What auth login stored for the profile in use.'],
        ],
      },
      {
        kind: 'rows',
        title: 'Scopes',
        rows: [
          ['public', 'Reading stacks, servers, deployments, databases and backups.'],
          ['redeploy', 'Deployments, application variants, new clusters.'],
          ['users', 'Accounts, and what is your own as a user.'],
          ['admin', 'Changing everything else, and reading environment variables and settings.'],
        ],
      },
      {
        kind: 'text',
        text: 'The help of each command names its scope; auth check tries which of them a token holds. A stored token is sent only to the origin it was obtained for, and redirects are not followed. With --sandbox no real token is used. auth logout forgets the token on this machine; it stays valid until it is revoked at the service.',
      },
      {
        kind: 'text',
        text: 'stackops auth --help lists the commands around signing in.',
      },
      {
        kind: 'examples',
        lines: [
          'printf %s "$TOKEN" | stackops auth login --token-stdin',
          'stackops auth status',
          'stackops auth check',
        ],
      },
    ],
  };
}
