import { resolve } from 'node:path';
import type { CommandHost } from '../../contract/host.ts';
import { splitCommand } from '../../fields/read-value.ts';
import { findProgram } from '../../programs/start.ts';

/** Values of `notify` that name no program. */
const notifyKeywords = ['bell', 'desktop', 'off'];

/** Returns the program that a command of a profile starts, if it is missing on this machine, else undefined. */
export function findMissingProgram(command: string, { env, platform, folders }: CommandHost): string | undefined {
  // Without PATH the system searches folders that are not known here, so no program counts as missing.
  if (notifyKeywords.includes(command) || env['PATH'] === undefined) return undefined;
  const [program = ''] = splitCommand(command) ?? [];
  // A program runs in the configuration folder, so a relative path begins there.
  const name = program.includes('/') ? resolve(folders().config, program) : program;
  return findProgram(name, env, platform) === undefined ? program : undefined;
}
