import { settingNames, settingOf } from '../../settings/table.ts';
import type { Topic } from './topic.ts';

type VariableRow = readonly [variable: string, meaning: string];

/** `help environment`: the settings that have a variable, and what is no setting. */
export function environmentTopic(): Topic {
  return {
    title: 'Environment variables',
    blocks: [
      { kind: 'rows', rows: [...settings(), ...others] },
      { kind: 'text', text: 'A variable that is empty counts as not set. A flag wins over its variable.' },
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
  ['STACKOPS_CLIENT_SECRET', 'Secret of your application, for signing in.'],
  ['STACKOPS_CONFIG_DIR', 'Folder of configuration and credentials.'],
  ['STACKOPS_NO_INPUT', 'Never ask, as with --no-input; CI has the same effect.'],
  ['STACKOPS_DEBUG', 'Show where a bug happened.'],
  [
    'NO_COLOR',
    'No colour; FORCE_COLOR and CLICOLOR_FORCE ask for it. CI takes it away from a terminal, and the spinner too.',
  ],
  ['HTTPS_PROXY', 'Proxy for requests; HTTP_PROXY and NO_PROXY are honoured too.'],
  [
    'XDG_CONFIG_HOME',
    'Parent of the configuration folder; XDG_STATE_HOME is that of journal and sandbox, XDG_CACHE_HOME that of names for completion.',
  ],
];
