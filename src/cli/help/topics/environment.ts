import { settingNames, settingOf } from '../../../settings/table.ts';
import type { Topic } from './topic.ts';

type VariableRow = readonly [variable: string, meaning: string];

/** `help environment`: the settings that have a variable, and what is no setting. */
export function environmentTopic(): Topic {
  return {
    title: 'Environment variables',
    blocks: [
      { kind: 'rows', rows: [...settings(), ...others] },
      { kind: 'text', text: 'An empty variable counts as not set. A flag wins over its variable.' },
      { kind: 'examples', lines: ['STACKOPS_STACK=shop STACKOPS_OUTPUT=json stackops variant list'] },
    ],
  };
}

function settings(): readonly VariableRow[] {
  return settingNames().flatMap((name) => {
    const setting = settingOf(name);
    return setting?.variable ? [[setting.variable, setting.about] as const] : [];
  });
}

const others: readonly VariableRow[] = [
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
];
