import { resolve } from 'node:path';
import type { CommandHost } from '../../contract/host.ts';
import { splitCommand } from '../../fields/read-value.ts';
import { findProgram } from '../../programs/start.ts';

/** Values of `notify` that name no program. */
const notices = ['bell', 'desktop', 'off'];

/** The program in a setting of a profile, if it is missing on this machine. */
export function missingProgram(command: string, { env, platform, folders }: CommandHost): string | undefined {
  // Without PATH the system searches its default folders.
  if (notices.includes(command) || env['PATH'] === undefined) return undefined;
  const [program = ''] = splitCommand(command) ?? [];
  // A program runs in the folder of the configuration.
  const name = program.includes('/') ? resolve(folders().config, program) : program;
  return findProgram(name, env, platform) === undefined ? program : undefined;
}
