import type { Context } from '../../../contract/command.ts';
import { integer, opaque, optional, text } from '../../../contract/field.ts';
import type { Summary } from '../../../contract/plan.ts';
import { type RecordOf, record } from '../../../contract/record.ts';
import { durationText, isoText } from '../../../contract/values/time.ts';
import { whyText } from '../../../errors/cli-error.ts';
import { capture } from '../../../programs/capture.ts';
import type { RampState, Rules, Soaking } from './machine/state.ts';

/** One event of a ramp, a line of its JSON. */
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
/** The last event of a ramp, and its summary for people. */
export type RampResult = RampEvent & { readonly summary: Summary };
export type EventName =
  | 'preflight'
  | 'share_set'
  | 'return_failed'
  | 'check'
  | 'step_passed'
  | 'question'
  | 'held'
  | 'resumed'
  | 'world_changed'
  | 'aborted'
  | 'paused'
  | 'committed'
  | 'ended'
  | 'status'
  | 'pause'
  | 'abort';

export type Reporter = ReturnType<typeof createReporter>;

/** Time limit of the event program. */
const eventLimitMs = 30_000;
/** With this many waiting events, results of checks are left out. */
const mostWaiting = 100;

interface EventProgram {
  readonly commandLine: readonly string[];
  readonly env: () => Readonly<Record<string, string>>;
}

export function eventNow({ now }: Context, event: EventName, details: Partial<RampEvent>): RampEvent {
  return { v: 1, at: isoText(now()), event, ...details };
}

/** A failure here is a warning and ends no ramp. */
export function createReporter(context: Context, onEvent: EventProgram | undefined) {
  let printing = Promise.resolve();
  const program = onEvent && eventProgram(context, onEvent);
  return {
    /** Prints an event, hands it to the event program, and notes `line` for people. Never throws. */
    emit: (event: EventName, details: Partial<RampEvent>, line?: string): RampEvent => {
      const row = eventNow(context, event, details);
      if (line !== undefined) context.note(`${clockOf(context.now())} ${line}`);
      printing = printing
        .then(() => context.event(row))
        .catch((error: unknown) => context.warn(`event not printed: ${reasonOf(error)}`));
      program?.pass(row);
      return row;
    },
    /** Waits until every event has reached its readers. */
    finished: async (): Promise<void> => {
      await printing;
      await program?.finished();
    },
  };
}

function eventProgram({ warn, deadline, host }: Context, { commandLine, env }: EventProgram) {
  const { platform, signalGroup, redact, programs } = host;
  let queue = Promise.resolve();
  let isHung = false;
  let waiting = 0;
  let leftOut = 0;
  const run = async (row: RampEvent, own: ReturnType<typeof env>): Promise<void> => {
    if (isHung) return;
    const stop = deadline(eventLimitMs);
    const { code, signal } = await capture({
      commandLine,
      env: { ...programs.env, ...own },
      platform,
      input: redact(`${JSON.stringify(row)}\n`),
      signalGroup,
      stop,
      isEnough: () => true,
    });
    // Later events are dropped, because each would wait as long.
    isHung = stop.aborted;
    if (isHung) warn(`--on-event took longer than ${eventLimitMs / 1000} s; no more events are passed on`);
    else if (code !== 0) warn(`--on-event failed (${signal ?? `exit code ${code}`})`);
  };
  return {
    pass: (row: RampEvent): void => {
      if (waiting >= mostWaiting && row.event === 'check') {
        leftOut += 1;
        return;
      }
      const own = env();
      waiting += 1;
      queue = queue
        .then(() => run(row, own))
        .catch((error: unknown) => warn(`event not passed on: ${reasonOf(error)}`))
        .finally(() => {
          waiting -= 1;
        });
    },
    finished: async (): Promise<void> => {
      await queue;
      if (leftOut > 0) warn(`--on-event is slower than the ramp: ${leftOut} checks were not passed on`);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : whyText(error);
}

/** `12:00:15` */
export function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

type Names = readonly { readonly name: string }[];

/** A line with two checks fits on 80 columns. */
const barWidth = 10;

/** `25 %  [###.......]  7m 12s left  curl 5 good` */
export function statusLine(state: RampState, rules: Rules, checks: Names, nowMs: number): string {
  const share = `${state.share} %`;
  if (state.phase === 'soaking') return [share, ...soakParts(state, rules, checks, nowMs)].join('  ');
  if (state.phase === 'setting') return `${share} -> ${rules.steps[state.step]} %`;
  if (state.phase !== 'returning') return share;
  const pause = state.dueMs === undefined ? '' : `  next try in ${durationText(state.dueMs - nowMs)}`;
  return `${share} -> ${rules.abortTo} %${pause}`;
}

function soakParts(state: Soaking, { everyMs }: Rules, checks: Names, nowMs: number): readonly string[] {
  const passedMs = Math.min(everyMs, nowMs - state.sinceMs);
  const full = Math.floor((barWidth * passedMs) / everyMs);
  const left = passedMs < everyMs ? `${durationText(everyMs - passedMs)} left` : 'waiting for checks';
  const counts = state.stats.map(({ good, failed, held }, at) => {
    const others = [failed > 0 && `${failed} failed`, held > 0 && `${held} held`].filter((part) => part !== false);
    return [`${checks[at]?.name} ${good} good`, ...others].join(', ');
  });
  return [`[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`, left, counts.join('; ')];
}
