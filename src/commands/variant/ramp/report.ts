import type { Context } from '../../../contract/command.ts';
import { integer, opaque, optional, text } from '../../../contract/field.ts';
import type { Summary } from '../../../contract/plan.ts';
import { type RecordOf, record } from '../../../contract/record.ts';
import { durationText, isoText } from '../../../contract/values/time.ts';
import { whyText } from '../../../errors/cli-error.ts';
import { runRampProgram } from './checks.ts';
import type { RampRules, RampState, Soaking } from './machine/state.ts';

/** The record type of an event of a ramp. In JSON output each event is a line. */
export const RampEvent = record(
  'event',
  {
    v: integer('Version of this form.'),
    at: text('Time.'),
    event: text('What happened.'),
    variant: optional(text('UID of the canary.')),
    step: optional(integer('Number of the step, from 1.')),
    share: optional(integer('Share of traffic.', { unit: 'percent' })),
    check: optional(text('Name of the check.')),
    result: optional(text('Its result.')),
    reason: optional(text('Why.')),
    exit_code: optional(integer('Exit code of the ramp.')),
    change: optional(opaque('What the ramp has changed.')),
  },
  ['at', 'event', 'step', 'share', 'check', 'result', 'reason'],
  { id: 'event' },
);
export type RampEvent = RecordOf<typeof RampEvent>;
/** The last event of a ramp, with the summary for human-readable output. */
export type RampResult = RampEvent & { readonly summary: Summary };
type ProgressName = 'preflight' | 'share_set' | 'return_failed' | 'check' | 'step_passed' | 'question' | 'held';
type EndName = 'world_changed' | 'aborted' | 'paused' | 'committed' | 'ended';
export type EventName = ProgressName | EndName | 'resumed' | 'status' | 'pause' | 'abort';

export type Reporter = ReturnType<typeof createReporter>;

/** Time limit of the event program for one event. */
const eventLimitMs = 30_000;
/** Number of waiting events at which further check results are not passed to the event program. */
const maxWaitingEvents = 100;

type EventProgram = { readonly commandLine: readonly string[]; readonly env: () => Readonly<Record<string, string>> };

export function eventNow({ now }: Context, event: EventName, details: Partial<RampEvent>): RampEvent {
  return { v: 1, at: isoText(now()), event, ...details };
}

/** Returns functions that report events. A failure to report is a warning, so it does not end the ramp. */
export function createReporter(context: Context, program: EventProgram | undefined) {
  let printQueue = Promise.resolve();
  const feed = program && createProgramFeed(context, program);
  return {
    /** Prints an event, passes it to the event program, and notes `line` on stderr. Never throws. */
    emit: (event: EventName, details: Partial<RampEvent>, line?: string): RampEvent => {
      const row = eventNow(context, event, details);
      if (line !== undefined) context.note(`${clockTime(context.now())} ${line}`);
      printQueue = printQueue
        .then(() => context.printEvent(row))
        .catch((error: unknown) => context.warn(`event not printed: ${reasonOf(error)}`));
      feed?.pass(row);
      return row;
    },
    finish: async (): Promise<void> => {
      await printQueue;
      await feed?.finish();
    },
  };
}

function createProgramFeed({ warn, deadline, host }: Context, { commandLine, env }: EventProgram) {
  let queue = Promise.resolve();
  let isProgramHung = false;
  let waitingCount = 0;
  let skippedCount = 0;
  const runEventProgram = async (row: RampEvent, eventEnv: ReturnType<typeof env>): Promise<void> => {
    if (isProgramHung) return;
    const stop = deadline(eventLimitMs);
    const input = host.redact(`${JSON.stringify(row)}\n`);
    const { code, signal } = await runRampProgram(host, { commandLine, env: eventEnv, input, stop });
    // After a program that took too long, later events are dropped, because each could take as long.
    isProgramHung = stop.aborted;
    if (isProgramHung) warn(`--on-event took longer than ${eventLimitMs / 1000} s; no more events are passed on`);
    else if (code !== 0) warn(`--on-event failed (${signal ?? `exit code ${code}`})`);
  };
  return {
    pass: (row: RampEvent): void => {
      if (waitingCount >= maxWaitingEvents && row.event === 'check') {
        skippedCount += 1;
        return;
      }
      const eventEnv = env();
      waitingCount += 1;
      queue = queue
        .then(() => runEventProgram(row, eventEnv))
        .catch((error: unknown) => warn(`event not passed on: ${reasonOf(error)}`))
        .finally(() => {
          waitingCount -= 1;
        });
    },
    finish: async (): Promise<void> => {
      await queue;
      if (skippedCount > 0) warn(`--on-event is slower than the ramp: ${skippedCount} checks were not passed on`);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : whyText(error);
}

/** Returns the time of day in UTC: `12:00:15`. */
export function clockTime(at: Date): string {
  return at.toISOString().slice(11, 19);
}

interface RunningRamp {
  readonly state: RampState;
  readonly rules: RampRules;
  readonly checks: readonly { readonly name: string }[];
}

/** Number of characters of the progress bar, chosen so that a line with two checks fits on 80 columns. */
const barWidth = 10;

/** Returns the line about a running ramp: `25 %  [###.......]  7m 12s left  curl 5 good`. */
export function statusLine({ state, rules, checks }: RunningRamp, nowMs: number): string {
  const shareText = `${state.share} %`;
  if (state.phase === 'soaking') return `${shareText}  ${soakText(state, rules, checks, nowMs)}`;
  if (state.phase === 'setting') return `${shareText} -> ${rules.steps[state.step]} %`;
  if (state.phase !== 'returning') return shareText;
  const retryText = state.dueMs === undefined ? '' : `  next try in ${durationText(state.dueMs - nowMs)}`;
  return `${shareText} -> ${rules.abortTo} %${retryText}`;
}

function soakText(state: Soaking, { everyMs }: RampRules, checks: RunningRamp['checks'], nowMs: number): string {
  const elapsedMs = Math.min(everyMs, nowMs - state.sinceMs);
  const filledWidth = Math.floor((barWidth * elapsedMs) / everyMs);
  const timeText = elapsedMs < everyMs ? `${durationText(everyMs - elapsedMs)} left` : 'waiting for checks';
  const checkTexts = state.stats.map(({ good, failed, held }, at) => {
    const countTexts = [`${good} good`, failed > 0 && `${failed} failed`, held > 0 && `${held} held`].filter(Boolean);
    return `${checks[at]?.name} ${countTexts.join(', ')}`;
  });
  return `[${'#'.repeat(filledWidth).padEnd(barWidth, '.')}]  ${timeText}  ${checkTexts.join('; ')}`;
}
