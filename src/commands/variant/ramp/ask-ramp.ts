import { msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError } from '../../../errors/cli-error.ts';
import type { Mode } from './options.ts';
import type { RampFiles } from './ramp-file.ts';
import { eventNow, type RampResult } from './report.ts';
import type { RampContext } from './services.ts';

/** Shows the ramp of a stack on this machine, or asks the running one to end. */
export async function askRamp(
  context: RampContext,
  stack_id: string,
  files: RampFiles,
  mode: Exclude<Mode, 'resume'>,
): Promise<RampResult> {
  const saved = files.read();
  const holder = files.holder();
  if (!saved || (mode !== 'status' && holder === undefined)) throw noRamp(stack_id, mode === 'status');
  if (mode !== 'status' && !context.dryRun) files.request(mode);
  const { variant, share, step, options } = saved;
  const result = holder === undefined ? (saved.ended ?? 'interrupted') : `running${holder}`;
  const place = `${variant} ${share} %, step ${step + 1} of ${options.steps?.length}`;
  const since = `began ${relativeText(new Date(msOf(saved.started_at)), context.now())}`;
  const asked = `${context.dryRun ? 'would ask' : 'asked'} the ramp${holder} to ${mode}: ${place}`;
  const row = eventNow(context, mode, { variant, step: step + 1, share, result });
  await context.event(row);
  return { ...row, summary: { lines: [mode === 'status' ? `${place}, ${result}, ${since}` : asked] } };
}

export function noRamp(stack_id: string, isKnown: boolean): CliError {
  const message = `no ramp of this stack ${isKnown ? '' : 'runs '}on this machine`;
  const hint = { path: 'variant list', stack_id };
  return new CliError('not_found', message, { nothing: isKnown ? undefined : 'changed', hint });
}

export function secondRamp(holder: string, stack_id: string): CliError {
  return new CliError('rejected', `a ramp of this stack is running${holder}`, {
    nothing: 'sent',
    hint: { path: 'variant ramp', flags: ['--status'], stack_id },
  });
}
