import { integer, opaque, optional, text } from '../../../contract/field.ts';
import { type RecordOf, record } from '../../../contract/record.ts';
import { durationText, isoText } from '../../../contract/values/time.ts';
import { collectProgram } from '../../../files/captured-program.ts';
import { whyText } from '../../../problems/or-warn.ts';
import type { RampState, Rules, Soaking } from './machine/state.ts';
import type { RampContext, RampServices } from './services.ts';

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
export type EventName =
  | 'preflight'
  | 'share_set'
  | 'check'
  | 'step_passed'
  | 'question'
  | 'held'
  | 'resumed'
  | 'world_changed'
  | 'aborted'
  | 'paused'
  | 'committed'
  | 'ended';

export interface Reporter {
  /** Tells programs of an event, and people where there is a line for them. Never throws. */
  readonly tell: (event: EventName, facts: Partial<RampEvent>, line?: string) => void;
  /** Once all that was passing has reached its readers. */
  readonly finished: () => Promise<void>;
}

/** Of a program that is passing of events. */
const tellLimitMs = 30_000;

/** Nothing that fails here may end a ramp: it is a warning. */
export function createReporter(
  context: RampContext,
  services: Pick<RampServices, 'env' | 'platform' | 'signalGroup' | 'deadline' | 'redact'>,
  onEvent:
    | { readonly commandLine: readonly string[]; readonly env: () => Readonly<Record<string, string>> }
    | undefined,
): Reporter {
  let passing = Promise.resolve();
  let isHung = false;
  const pass = async (event: RampEvent): Promise<void> => {
    await context.event(event);
    if (!onEvent || isHung) return;
    const stop = services.deadline(tellLimitMs);
    const { code, signal } = await collectProgram(onEvent.commandLine, {
      env: { ...services.env, ...onEvent.env() },
      platform: services.platform,
      input: services.redact(`${JSON.stringify(event)}\n`),
      take: () => undefined,
      signalGroup: services.signalGroup,
      stop,
      isEnough: () => true,
    });
    // Those that wait for it would keep us for hours.
    isHung = stop.aborted;
    if (isHung) context.warn(`--on-event took longer than ${tellLimitMs / 1000} s; no more events are passed on`);
    else if (code !== 0) context.warn(`--on-event failed (${signal ?? `exit code ${code}`})`);
  };
  return {
    tell: (event, facts, line) => {
      const row = { v: 1, at: isoText(context.now()), event, ...facts } as RampEvent;
      if (line !== undefined) context.note(`${clockOf(context.now())} ${line}`);
      passing = passing
        .then(() => pass(row))
        .catch((error: unknown) => context.warn(`event not passed on: ${reasonOf(error)}`));
    },
    finished: () => passing,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : whyText(error);
}

/** `12:00:15` */
export function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

const barWidth = 20;

/** `va-canary 25 %  [#######.............]  4m 12s left  curl 5 good`: where a ramp is, in one line. */
export function statusLine(
  state: RampState,
  rules: Rules,
  { uid, names, nowMs }: { readonly uid: string; readonly names: readonly string[]; readonly nowMs: number },
): string {
  switch (state.phase) {
    case 'soaking':
      return soakLine(state, rules, { uid, names, nowMs });
    case 'setting':
      return `${uid} ${state.share} % -> ${rules.steps[state.step]} %`;
    case 'returning':
      return `${uid} ${state.share} % -> ${rules.abortTo} %`;
    default:
      return `${uid} ${state.share} %`;
  }
}

function soakLine(
  state: Soaking,
  rules: Rules,
  { uid, names, nowMs }: { readonly uid: string; readonly names: readonly string[]; readonly nowMs: number },
): string {
  const passedMs = Math.min(rules.everyMs, nowMs - state.sinceMs);
  const full = Math.floor((barWidth * passedMs) / rules.everyMs);
  const bar = `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
  const left = passedMs < rules.everyMs ? `${durationText(rules.everyMs - passedMs)} left` : 'waiting for checks';
  const tallies = state.tallies.map(({ good, failed, held }, at) => {
    const others = [failed > 0 && `${failed} failed`, held > 0 && `${held} held`].filter((part) => part !== false);
    return [`${names[at]} ${good} good`, ...others].join(', ');
  });
  return [`${uid} ${state.share} %`, bar, left, tallies.join('; ')].join('  ');
}
