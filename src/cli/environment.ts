import { colourLevel } from '../output/table/theme.ts';
import type { Resolved } from '../settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Windows ignores the case of names and spells PATH `Path`, so there names become upper case. */
export function readEnvironment(env: Environment, platform: string): Environment {
  if (platform !== 'win32') return { ...env };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}

/** Variables that a coding agent sets. People set CODEX_HOME and CODEX_API_KEY themselves. */
const agentMarks = /^(AI_AGENT|AGENT|CLAUDECODE|CODEX_(?!HOME$|API_KEY$)\w+|CURSOR_AGENT|GEMINI_CLI|OPENCODE)$/;

/** The variable that shows an agent; undefined for a person or a job. */
export function agentIn(env: Environment): string | undefined {
  return Object.keys(env).find((name) => env[name] && agentMarks.test(name));
}

/** Returns the variable that marks a run without a person, even at a terminal. */
export function unattendedBy(env: Environment): string | undefined {
  return ['STACKOPS_NO_INPUT', 'CI'].find((name) => env[name]) ?? agentIn(env);
}

/** Decides on colour: a flag comes first, then the variables that all programs share, then the stored preference. */
export function wantsColour({ value, origin }: Resolved, env: Environment, terminal: boolean): boolean {
  const shared = env['NO_COLOR'] || env['FORCE_COLOR'] || env['CLICOLOR_FORCE'];
  const flag = origin.kind === 'flag' || !shared ? value : undefined;
  return colourLevel({ flag, env, isTTY: terminal }) > 0;
}
