import type { Environment } from '../../contract/host.ts';
import { isDumbTerminal } from '../safe/create-output.ts';

interface ColourSources {
  /** The value of `--color` or of the setting `color`: `always`, `never` or `auto`. */
  readonly flag?: string | undefined;
  readonly env: Environment;
  readonly isTTY: boolean;
}

/** Returns the colour level of one stream: 1 for the sixteen basic colours, 0 for none. The flag has precedence. */
export function colourLevel({ flag, env, isTTY }: ColourSources): 0 | 1 {
  if (flag === 'always') return 1;
  if (flag === 'never' || env['NO_COLOR']) return 0;
  if ([env['FORCE_COLOR'], env['CLICOLOR_FORCE']].some((value) => value && value !== '0')) return 1;
  // Some CI systems give a job a terminal but store its output as a log, so a terminal in CI gets no colour.
  return isTTY && !isDumbTerminal(env) && !env['CI'] ? 1 : 0;
}

export type Tone = 'heading' | 'good' | 'bad' | 'warn';
export type Theme = Readonly<Record<Tone, (text: string) => string>>;

/** Returns for each tone a function that styles a text. Without `colour` these functions change nothing. */
export async function loadTheme(colour: boolean): Promise<Theme> {
  if (!colour) return { heading: unchanged, good: unchanged, bad: unchanged, warn: unchanged };
  const { Chalk } = await import('chalk');
  const { bold, green, red, yellow } = new Chalk({ level: 1 });
  return { heading: bold, good: green, bad: red, warn: yellow };
}

function unchanged(text: string): string {
  return text;
}
