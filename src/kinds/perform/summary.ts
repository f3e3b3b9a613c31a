import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Input } from '../../contract/field.ts';
import type { Change, ChangeState, Step, Summary } from '../../contract/plan.ts';
import { type Action, actionOf, actionWords, hasEnded, idOf, isDone } from '../../resources/action.ts';

/** What a command does, as its question and its result say it. */
export interface Verb {
  /** `Delete`, as a question begins. */
  readonly act: string;
  readonly change: ChangeState;
  /** `deletion`, of which an action is said to be; empty where the resource itself says enough. */
  readonly noun: string;
}

export const verbs = {
  create: { act: 'Create', change: 'created', noun: ' creation' },
  update: { act: 'Change', change: 'updated', noun: '' },
  delete: { act: 'Delete', change: 'deleted', noun: ' deletion' },
  commit: { act: 'Commit', change: 'committed', noun: ' commit' },
  cancel: { act: 'Cancel', change: 'cancelled', noun: ' cancellation' },
  reboot: { act: 'Reboot', change: 'rebooted', noun: ' reboot' },
} as const satisfies Readonly<Record<string, Verb>>;

/** What a line adds about one change: `9`, `203.0.113.9`. */
export type Details<One extends Step = Step> = (change: Change, step: One) => readonly string[];

/** `gateway bastion-1 deleted (5, 203.0.113.7, not open)`: one line for each step. */
export function linesOf<One extends Step>(
  steps: readonly One[],
  changes: readonly Change[],
  { verb, details = () => [] }: { readonly verb: Verb; readonly details?: Details<One> },
): readonly string[] {
  return steps.map((step, at) => {
    const change = changes[at] as Change;
    const about = details(change, step).filter((detail) => detail !== '');
    return `${step.name} ${stateWords(change, verb)}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
  });
}

/** `deleted`, `deletion queued as action 812`, `deletion not tried`. */
export function stateWords({ change, action }: Change, { noun }: Verb): string {
  const carrier = actionOf(action);
  if (carrier && !isDone(carrier)) return `${noun} ${actionWords(carrier)}`.trim();
  const isMade = !['queued', 'failed', 'unknown', 'not_tried'].includes(change);
  return `${isMade ? '' : noun} ${change.replace('_', ' ')}`.trim();
}

/** What is read of a resource that has changed, and said below its line: a password. */
export interface More<Row> {
  readonly read: (context: Context, input: Input, title: string) => Promise<Row | undefined>;
  readonly summarize: (change: Change, input: Input) => Pick<Summary, 'lines' | 'next'>;
}

export function withMore<Row>(
  said: Summary,
  more: More<Row> | undefined,
  changes: readonly Change[],
  input: Input,
): Summary {
  const [change] = changes.filter(isUnderWay);
  if (!more || !change) return said;
  const { lines, next } = more.summarize(change, input);
  return { ...said, lines: [...said.lines, ...lines], next };
}

/** Whether there is, or will be, something to undo. */
export function isUnderWay({ change }: Change): boolean {
  return !['unchanged', 'failed', 'unknown', 'not_tried'].includes(change);
}

/**
 * The commands that undo changes, each action waited for first: until then the old value still stands, and to set it would
 * change nothing. None where an action is not known, or has no number.
 */
export function undoAfter(
  changes: readonly Change[],
  stack_id: unknown,
  undo: readonly CommandLine[],
): readonly CommandLine[] {
  const open = changes.map((one) => openAction(one)).filter((action) => action !== undefined);
  const ids = open.map((action) => action && idOf(action));
  if (undo.length === 0 || ids.includes(null)) return [];
  // Elsewhere there are no records of actions to wait for.
  if (ids.length > 0 && typeof stack_id !== 'string') return [];
  return [...ids.map((id) => ({ path: 'action wait', operands: [String(id)], stack_id: stack_id as string })), ...undo];
}

/** What carries a change out and has not ended; null where that is not known, undefined where there is nothing. */
function openAction({ change, action }: Change): Action | null | undefined {
  const carrier = actionOf(action);
  if (!carrier) return change === 'queued' ? null : undefined;
  return hasEnded(carrier) ? undefined : carrier;
}

/** A value in a sentence. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === '') return '""';
  return Array.isArray(value) ? value.join(', ') || '-' : String(value);
}
