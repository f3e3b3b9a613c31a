import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Field, type Fields, group, type Input, nullable, oneOf, opaque, text } from '../../contract/field.ts';
import { type Change, type ChangeState, changeStates, type Step, type Summary } from '../../contract/plan.ts';
import { type RecordType, record } from '../../contract/record.ts';
import { actionIdOf, actionInReply, actionText, hasEnded, isSuccessful, StackAction } from '../../resources/action.ts';
import { itemErrorField } from './change-each.ts';

type ValueFields = { readonly before?: Field; readonly after?: Field };

/** Returns the record type of a write: the fields of the resource, its old and new value, and the outcome. */
export function changeRecord(idFields: Fields, { before, after = before }: ValueFields = {}): RecordType {
  const fields: Fields = {
    ...idFields,
    change: oneOf(changeStates, 'What was done.'),
    before: nullable(before ?? opaque('What it was.')),
    after: nullable(after ?? opaque('What it is now; where that was not seen, as it was asked for.')),
    action: nullable(group(StackAction.fields, 'The action that carries it out, where the service named one.')),
    message: nullable(text('What the service said.')),
    error: itemErrorField,
  };
  return record('change', fields, [...Object.keys(idFields), 'change', 'before', 'after']);
}

/** The words for one kind of change, in questions and in results. */
export interface Verb {
  /** `Delete`: the beginning of a question. */
  readonly act: string;
  readonly change: ChangeState;
  /** `deleting`: the verb for a change that has not succeeded. */
  readonly doing: string;
}

export const verbs = {
  create: { act: 'Create', change: 'created', doing: 'creating' },
  update: { act: 'Change', change: 'updated', doing: 'updating' },
  delete: { act: 'Delete', change: 'deleted', doing: 'deleting' },
  commit: { act: 'Commit', change: 'committed', doing: 'committing' },
  cancel: { act: 'Cancel', change: 'cancelled', doing: 'cancelling' },
  reboot: { act: 'Reboot', change: 'rebooted', doing: 'rebooting' },
} as const satisfies Readonly<Record<string, Verb>>;

/** A function that returns the details of one change for its line: `9`, `203.0.113.9`. */
export type DescribeChange<One = Step> = (change: Change, step: One) => readonly string[];

export function linesOf<One extends Pick<Step, 'name'>>(
  steps: readonly One[],
  changes: readonly Change[],
  { verb, details = () => [] }: { readonly verb: Verb; readonly details?: DescribeChange<One> },
): readonly string[] {
  return steps.map((step, at) => {
    const change = changes[at] as Change;
    return changeLine(step.name, change, verb, details(change, step));
  });
}

/** Returns `gateway bastion-1 deleted (5)` or, before that, `deleting gateway bastion-1 (action 812, queued): 5`. */
export function changeLine(name: string, change: Change, verb: Verb, details: readonly string[] = []): string {
  const detailsText = details.filter((detail) => detail !== '').join(', ');
  if (change.change === 'accepted') return acceptedLine(name, change, detailsText);
  const start = changeWords(name, change, verb);
  if (detailsText === '') return start;
  return progressOf(change) === undefined ? `${start} (${detailsText})` : `${start}: ${detailsText}`;
}

/** Returns `LOG_LEVEL: accepted; the service still shows info`. */
export function acceptedLine(name: string, { before }: Pick<Change, 'before'>, oldValueText: string): string {
  return `${name}: accepted; the service ${before === null ? 'does not show it yet' : `still shows ${oldValueText || 'it'}`}`;
}

/** Returns `gateway bastion-1 deleted` or, before that, `deleting gateway bastion-1 (action 812, queued)`. */
export function changeWords(name: string, change: Change, { doing }: Verb): string {
  const progress = progressOf(change);
  return progress === undefined ? `${name} ${change.change.replace('_', ' ')}` : `${doing} ${name} (${progress})`;
}

const unfinishedTexts: Partial<Record<ChangeState, string>> = {
  queued: 'queued',
  failed: 'failed',
  unknown: 'outcome unknown',
  not_tried: 'not tried',
};

function progressOf({ change, action }: Change): string | undefined {
  const stackAction = actionInReply(action);
  return stackAction && !isSuccessful(stackAction) ? actionText(stackAction) : unfinishedTexts[change];
}

/** A read after the change, and the lines that show what was read, such as a new password. */
export interface ExtraRead<Row> {
  readonly read: (context: Context, input: Input, title: string) => Promise<Row | undefined>;
  readonly summarize: (change: Change, input: Input) => Pick<Summary, 'lines' | 'next'>;
}

type Extra = Pick<ExtraRead<unknown>, 'summarize'> | undefined;

export function withExtra(summary: Summary, extra: Extra, changes: readonly Change[], input: Input): Summary {
  const change = changes.find(isUnderWay);
  if (!extra || !change) return summary;
  const { lines, next } = extra.summarize(change, input);
  return { ...summary, lines: [...summary.lines, ...lines], next: next && nextAfterActions(next, changes, input) };
}

type NextStep = NonNullable<Summary['next']>;

function nextAfterActions({ about, command }: NextStep, changes: readonly Change[], { stack_id }: Input): NextStep {
  // Until an action has ended, `command` would show the old state, so commands that wait for actions come before it.
  const commands = undoAfter(changes, stack_id, command);
  return commands.length > 0 ? { about, command: commands } : { about: `${about}, once it has finished`, command };
}

/** True if the change is made or queued. False for `accepted`, because such a change may never take effect. */
export function isUnderWay({ change }: Change): boolean {
  return !['unchanged', 'accepted', 'failed', 'unknown', 'not_tried'].includes(change);
}

type CommandLines = readonly CommandLine[];

/** Returns waits for the open actions, whose old values are still set, then `undo`. Empty if no command can wait. */
export function undoAfter(changes: readonly Change[], stack_id: unknown, undo: CommandLines): CommandLines {
  const ids = changes.map(openActionIdOf).filter((id) => id !== undefined);
  if (undo.length === 0 || ids.includes(null)) return [];
  // Only actions of stacks have records, so no command can wait for an action of another resource.
  if (ids.length > 0 && typeof stack_id !== 'string') return [];
  return [...ids.map((id) => ({ path: 'action wait', operands: [String(id)], stack_id: stack_id as string })), ...undo];
}

/** Returns the ID of the action of a change while it has not ended, else undefined. Null stands for an unknown ID. */
function openActionIdOf({ change, action }: Change): number | null | undefined {
  const stackAction = actionInReply(action);
  if (!stackAction) return change === 'queued' ? null : undefined;
  return hasEnded(stackAction) ? undefined : actionIdOf(stackAction);
}
