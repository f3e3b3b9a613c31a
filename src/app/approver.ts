import type { Host } from '../cli/host.ts';
import type { Approve } from '../cli/world.ts';
import type { Folders } from '../files/folders.ts';
import { writeJson } from '../json/write.ts';
import { Problem } from '../problems/problem.ts';
import type { Settings } from '../settings/settings.ts';
import { splitCommand } from '../settings/split-command.ts';
import { profileProgramHost } from './programs.ts';
import { runForOutput } from './run-for-output.ts';

/** Set in the environment of an approve_command, which may itself run stackops. */
const insideVariable = 'STACKOPS_IN_APPROVE_COMMAND';
const limitMs = 120_000;
const mostBytes = 1024 * 1024;

/** Hands planned changes to the approve_command of the profile; throws forbidden, with its words, unless it agrees. */
export function approverOf(host: Host, settings: Settings, folders: () => Folders): Approve {
  const [program, ...args] = splitCommand(settings.get('approve_command').value ?? '') ?? [];
  const place = `approve_command (${program})`;
  return async (planned) => {
    if (settings.get('approve_command_trusted').value !== 'true') throw refusal(`${place} is not run: ${untrusted}`);
    if (host.env[insideVariable]) throw refusal(`${place} runs stackops, which would run it again`);
    const run = runForOutput(profileProgramHost(host, folders().config, insideVariable), {
      limitMs,
      mostBytes,
      input: `${writeJson(planned, { indent: false, escapeControls: false })}\n`,
      late: 'gave no answer',
      fault: (message, output) => refusal(lastLine(output) ?? message),
    });
    await run([program ?? '', ...args], place);
  };
}

const untrusted = 'others could write config.json, or it was not set by stackops profile set';

function refusal(why: string): Problem {
  return new Problem('forbidden', `not approved: ${why}`, {
    hint: { path: 'config get', operands: ['approve_command'] },
  });
}

/** What it says of a refusal stands last: what it did stands above. */
function lastLine(output: string): string | undefined {
  return Buffer.from(output, 'latin1').toString().trim().split('\n').at(-1) || undefined;
}
