import { resolve } from 'node:path';
import type { CommandHost } from '../../contract/host.ts';
import { splitCommand } from '../../fields/split-command.ts';
import { findProgram } from '../../programs/find.ts';

/** Values of `notify` that name no program. */
const notices = ['bell', 'desktop', 'off'];

/** The program that a setting of a profile names, where this machine has none. */
export function missingProgram(command: string, { env, platform, folders }: CommandHost): string | undefined {
  // Without PATH the system has a list of its own.
  if (notices.includes(command) || env['PATH'] === undefined) return undefined;
  const [program = ''] = splitCommand(command) ?? [];
  // It is run in the folder of the configuration.
  const name = program.includes('/') ? resolve(folders().config, program) : program;
  return findProgram(name, env, platform) === undefined ? program : undefined;
}
