import { exitCodeMeanings } from '../../../errors/exit-codes.ts';
import { settingTable } from '../../../settings/table.ts';
import { type GlobalOption, helpAndVersion } from '../../arguments/options.ts';
import type { CommandDescription } from '../describe.ts';
import { indentedLines, twoColumns } from '../help-layout.ts';
import { optionGroups } from '../option-groups.ts';
import { agentsTopic } from './agents.ts';
import { filesTopic } from './files.ts';
import { outputTopic } from './output.ts';
import type { Topic, TopicBlock, TopicName } from './topic.ts';

const optionsTopic: Topic = {
  title: 'Flags that commands share',
  blocks: [
    'A shared flag may stand before or after the command. The help of a command lists the ones it takes.',
    ...optionGroups.map(({ title, options }) => ({ title, rows: options.map(optionRow) })),
    { title: 'Help and version', rows: helpAndVersion.map(optionRow) },
    'A duration is a number with a unit, such as 90s, 5m or 2h. Many flags also have an environment variable: see stackops help environment.',
    {
      examples: [
        'stackops variant list -s shop --json --fields uid,variant_type',
        'stackops stack env set LOG_LEVEL=debug -s shop --dry-run',
      ],
    },
  ],
};

function optionRow({ flags, about }: Pick<GlobalOption, 'flags' | 'about'>) {
  return [flags, about] as const;
}

const environmentTopic: Topic = {
  title: 'Environment variables',
  blocks: [
    {
      rows: [
        ...Object.values(settingTable).flatMap(({ variable, about }) => (variable ? [[variable, about] as const] : [])),
        ['STACKOPS_TOKEN', 'Token to use instead of the stored one.'],
        ['STACKOPS_CLIENT_SECRET', 'OAuth client secret, for signing in.'],
        ['STACKOPS_CONFIG_DIR', 'Folder for configuration and credentials.'],
        [
          'STACKOPS_NO_INPUT',
          'Never ask, like --no-input. CI does the same, and what an agent sets: AI_AGENT, AGENT, CLAUDECODE, CODEX_..., CURSOR_AGENT, GEMINI_CLI, OPENCODE.',
        ],
        ['STACKOPS_DEBUG', 'Print where an internal error happened.'],
        [
          'NO_COLOR',
          'Turn colour off. FORCE_COLOR and CLICOLOR_FORCE turn it on. CI turns off colour and spinner on a terminal.',
        ],
        ['HTTPS_PROXY', 'Proxy for requests. HTTP_PROXY and NO_PROXY work too.'],
        [
          'XDG_CONFIG_HOME',
          'Parent of the configuration folder. XDG_STATE_HOME: of journal and sandbox. XDG_CACHE_HOME: of names and compiled code.',
        ],
      ],
    },
    'An empty variable counts as not set. A flag wins over its variable.',
    { examples: ['STACKOPS_STACK=shop STACKOPS_OUTPUT=json stackops variant list'] },
  ],
};

const authTopic: Topic = {
  title: 'Signing in',
  blocks: [
    'A personal token comes from the Apps area of the web interface. It is read from stdin or a file, never from an argument. Signing in with the browser needs an OAuth application of your own. Register it at the service with the redirect address http://127.0.0.1:34543/callback. Its client ID and secret come from STACKOPS_CLIENT_ID and STACKOPS_CLIENT_SECRET, a file, stdin or a prompt. A token is stored only after the service has accepted it. A response with a wrong state cancels the sign-in; then sign in again. If the service reports invalid_scope, separate the scopes by blanks: stackops profile set scope_separator=space.',
    {
      title: 'Where the token comes from: the first that is set',
      rows: Object.entries({
        STACKOPS_TOKEN: 'Environment variable, for CI. It wins over every sign-in.',
        token_command: 'Program that prints the token, set in the active profile. It may ask a keyring.',
        'the profile': 'The token that auth login stored for the active profile.',
      }),
    },
    {
      title: 'Scopes',
      rows: Object.entries({
        public: 'Read stacks, servers, deployments, databases and backups.',
        redeploy: 'Deploy, change application variants, create clusters.',
        users: 'Use accounts and your own user.',
        admin: 'Change everything else; read environment variables and settings.',
      }),
    },
    'The help of each command names its scope. auth check tests which scopes a token has. A stored token is sent only to the origin it was obtained for; redirects are not followed. With --sandbox no real token is used. auth logout removes the token from this machine. It stays valid until it is revoked at the service.',
    'stackops auth --help lists the commands for signing in.',
    {
      examples: [
        'printf %s "$TOKEN" | stackops auth login --token-stdin',
        "stackops profile set token_command='op read op://ops/stackops/token'",
        'stackops auth status',
        'stackops auth check',
      ],
    },
  ],
};

const exitCodesTopic: Topic = {
  title: 'Exit codes',
  blocks: [
    { rows: exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]) },
    'The help of a command says what a code means there. 129, 130 and 143 are signals raised again, so a calling script sees them and stops too.',
    { examples: ['stackops variant list -s shop --json > variants.json || echo "failed with $?"'] },
  ],
};

/** Returns the commands that ask for confirmation at a level, each with the condition under which it asks. */
export function commandsThatAsk(
  commands: readonly CommandDescription[],
  level: CommandDescription['confirmation'],
): readonly (readonly [words: string, when: string])[] {
  return commands
    .filter(({ confirmation }) => confirmation === level)
    .map(({ name, confirmation_when }) => [name, confirmation_when ?? 'always']);
}

function confirmationTopic(commands: readonly CommandDescription[]): Topic {
  return {
    title: 'Confirmation',
    blocks: [
      'Some changes ask for confirmation. They do not ask if nothing would change, or with --dry-run or --curl. Without a terminal the command exits with 2 and prints itself with the missing flag.',
      { title: 'Yes or no: -y confirms', rows: commandsThatAsk(commands, 'yes') },
      { title: 'Typed name: --confirm NAME confirms, -y does not', rows: commandsThatAsk(commands, 'typed') },
      'All other changes do not ask. With protected=true in the profile, every change asks for a typed name. With approve_command=PROGRAM, that program is then handed all requests of the change as JSON on stdin, masked as with --dry-run. Exit code 0 sends them; anything else is exit code 5, also no answer within 2 minutes. server ssh, run and cp change nothing at the service and need no approval, but opening a gateway for them does; readonly=true refuses all three. Each profile has its own, and --sandbox is a profile, too.',
      {
        examples: [
          'stackops stack env unset LOG_LEVEL -s shop -y',
          'stackops gateway delete bastion-1 --confirm bastion-1',
          'stackops profile set approve_command=ask-in-chat',
        ],
      },
    ],
  };
}

export function topicsOf(commands: readonly CommandDescription[]): Readonly<Record<TopicName, Topic>> {
  return {
    options: optionsTopic,
    output: outputTopic,
    'exit-codes': exitCodesTopic,
    environment: environmentTopic,
    auth: authTopic,
    confirmation: confirmationTopic(commands),
    files: filesTopic,
    agents: agentsTopic,
  };
}

export function topicPage(name: TopicName, commands: readonly CommandDescription[]): string {
  const { title, blocks } = topicsOf(commands)[name];
  return `${[title, ...blocks.map(blockText)].join('\n\n')}\n`;
}

function blockText(block: TopicBlock): string {
  return blockLines(block)
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

function blockLines(block: TopicBlock): readonly string[] {
  if (typeof block === 'string') return indentedLines(block);
  if ('examples' in block) return block.examples;
  return [...(block.title ? indentedLines(`${block.title}:`) : []), ...twoColumns(block.rows)];
}
