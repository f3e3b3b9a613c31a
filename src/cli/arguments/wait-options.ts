import { commandWrites } from '../../contract/command.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Run } from '../app.ts';
import { namesSeveral } from '../stacks/stack-names.ts';
import { longOf, optionValue, type TypedCommand } from './options.ts';
import { doesNotApply } from './unused-flags.ts';

/** Whether to wait, how long and how often to check. Throws usage for a read, and for limits without a wait. */
export function readWaitOptions(line: TypedCommand): Pick<Run['limits'], 'wait' | 'timeoutMs' | 'pollMs'> {
  const { options } = line;
  const wait = options.wait || alwaysWaits(line);
  // With --redeploy the changes before it are waited for.
  refuseWaitFlags(line, wait || line.flags['--redeploy'] === true);
  const [pollMs = 0, timeoutMs = 0] = [optionValue('poll', options), optionValue('wait_timeout', options)];
  return { wait, timeoutMs, pollMs };
}

function alwaysWaits({ command, options, flags }: TypedCommand): boolean {
  const { wait, waitsWith, targets } = command;
  const isWaiting = waitsWith !== undefined && flags[`--${waitsWith}`] === true;
  // With several stacks in order, each waits for the previous one.
  return wait === 'always' || wait === 'its own limits' || isWaiting || (targets.inTurn && namesSeveral(options));
}

function refuseWaitFlags({ command, options, flags, path }: TypedCommand, waits: boolean): void {
  const isWrite = commandWrites(command);
  const nothing = `"${path}" changes nothing`;
  // The flag for a read that corresponds to --wait.
  const [watch] = 'watch' in command.params ? ['--watch'] : [];
  if (options.wait && !isWrite) throw doesNotApply('--wait', nothing, watch);
  const [limit] = (['wait_timeout', 'poll'] as const).filter((name) => options[name] !== undefined).map(longOf);
  if (limit && command.wait === 'its own limits') throw doesNotApply(limit, `"${path}" has limits of its own`);
  const unused = limit ?? (options.notify && !flags['--watch'] ? '--notify' : undefined);
  if (!unused || waits) return;
  const needed = isWrite ? '--wait' : !limit && watch;
  if (!needed) throw doesNotApply(unused, nothing);
  throw new CliError('usage', `${unused} needs ${needed}`, { correction: { add: [needed] } });
}
