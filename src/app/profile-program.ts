import type { Host } from '../cli/host.ts';
import { CliError } from '../errors/cli-error.ts';
import { splitCommand } from '../fields/read-value.ts';
import type { Folders } from '../files/folders.ts';
import { writeJson } from '../json/write.ts';
import { type ProgramRules, runForOutput } from '../programs/capture.ts';
import type { Settings } from '../settings/settings.ts';
import type { SettingName } from '../settings/table.ts';
import { profileProgramHost } from './programs.ts';

export interface ProgramContext {
  readonly host: Host;
  readonly settings: Settings;
  readonly folders: () => Folders;
}

const mostBytes = 1024 * 1024;

/** The variable that is set for every approve_command. It prevents endless recursion if that program runs stackops. */
const recursionVariable = 'STACKOPS_IN_APPROVE_COMMAND';

/** Runs the approve_command of the profile on planned changes. Throws `forbidden` if it refuses or must not be run. */
export async function runApproveCommand(context: ProgramContext, changes: object): Promise<void> {
  const { label, run } = programOf(context, 'approve_command', { env: { [recursionVariable]: '1' } });
  if (context.settings.get('approve_command_trusted').value !== 'true') {
    throw refusalError(
      `${label} is not run: others could write config.json, or it was not set by stackops profile set`,
    );
  }
  if (context.host.env[recursionVariable]) throw refusalError(`${label} runs stackops, which would run it again`);
  // The last line of the output is the reason. The lines above it are progress.
  const createError = (message: string, output: string) =>
    refusalError(Buffer.from(output, 'latin1').toString().trim().split('\n').at(-1) || message);
  await run({ input: `${writeJson(changes)}\n`, mostBytes, limitMs: 120_000, lateText: 'gave no answer', createError });
}

function refusalError(why: string): CliError {
  return new CliError('forbidden', `not approved: ${why}`, {
    hint: { path: 'config get', operands: ['approve_command'] },
  });
}

/** Hands the record of a run to the `notify` program of the profile. Throws `unavailable` if the program fails. */
export async function runNotifyProgram(context: ProgramContext, record: unknown, exitCode: number): Promise<void> {
  const { run } = programOf(context, 'notify', { env: { STACKOPS_EXIT_CODE: String(exitCode) } });
  const createError = (message: string) => new CliError('unavailable', message);
  await run({ input: `${writeJson(record)}\n`, mostBytes, limitMs: 10_000, lateText: 'did not end', createError });
}

const maxSecretBytes = 65_536;

/** Runs the secret_command of the profile on a reference. Returns the printed secret, or throws `unavailable`. */
export async function readSecret(context: ProgramContext, reference: string): Promise<string> {
  const { run } = programOf(context, 'secret_command', { args: [reference] });
  const createError = (message: string) =>
    new CliError('unavailable', message, { hint: { path: 'config get', operands: ['secret_command'] } });
  const output = await run({ limitMs: 120_000, mostBytes: maxSecretBytes, lateText: 'printed no secret', createError });
  const text = Buffer.from(output, 'latin1').toString();
  context.host.redactor.hide(text.replace(/\r?\n$/, ''));
  return text;
}

type Extra = { readonly env?: Host['env']; readonly args?: readonly string[] };

function programOf({ host, settings, folders }: ProgramContext, name: SettingName, { env = {}, args = [] }: Extra) {
  const words = splitCommand(settings.get(name).value ?? '') ?? [];
  const label = `${name} (${words[0]})`;
  const run = (rules: ProgramRules) =>
    runForOutput(profileProgramHost(host, folders().config, env), rules, [...words, ...args], label);
  return { label, run };
}
