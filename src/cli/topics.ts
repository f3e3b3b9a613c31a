import { exitMeanings } from '../problems/exit-codes.ts';
import { settingNames, settingOf } from '../settings/table.ts';
import { twoColumns } from './help-layout.ts';
import { outputTopic } from './output-topic.ts';

/** Pages that belong to no command: `stackops help exit-codes`. */
export const topics: Readonly<Record<string, () => string>> = {
  'exit-codes': () => page('Exit codes', exitMeanings),
  environment: () => page('Environment variables', [...variables(), ...sharedVariables]),
  output: () => outputTopic.map(({ title, rows }) => page(title, rows)).join('\n'),
};

const sharedVariables: readonly (readonly [string, string])[] = [
  ['STACKOPS_TOKEN', 'Token to use instead of the stored one.'],
  ['STACKOPS_CLIENT_SECRET', 'Secret of your application, for signing in.'],
  ['STACKOPS_CONFIG_DIR', 'Folder of configuration and credentials.'],
  ['STACKOPS_NO_INPUT', 'Never ask, as with --no-input; CI has the same effect.'],
  ['STACKOPS_DEBUG', 'Show where a bug happened.'],
  ['NO_COLOR', 'No colour; FORCE_COLOR and CLICOLOR_FORCE ask for it.'],
  ['HTTPS_PROXY', 'Proxy for requests; HTTP_PROXY and NO_PROXY are honoured too.'],
  ['XDG_CONFIG_HOME', 'Parent of the configuration folder; XDG_STATE_HOME is that of journal and sandbox.'],
];

function variables(): readonly (readonly [string, string])[] {
  return settingNames().flatMap((name) => {
    const setting = settingOf(name);
    return setting?.variable ? [[setting.variable, setting.about] as const] : [];
  });
}

function page(title: string, rows: readonly (readonly [string, string])[]): string {
  return `${title}\n\n${twoColumns(rows)
    .map((line) => `  ${line}`)
    .join('\n')}\n`;
}
