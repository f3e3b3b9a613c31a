import { itemError } from '../../batch/change-each.ts';
import type { Audience, Presentation } from '../../contract/command.ts';
import { type CommandLine, commandText } from '../../contract/command-line.ts';
import { oneOf, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { type Action, actionOf, actionWords } from '../../resources/action.ts';
import type { Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting-text.ts';
import { itsAction, misfortune } from '../queued-change.ts';
import { previousOf } from './past.ts';
import { isSecret, shownValue } from './value.ts';

/** What happened to one variable. Values are not among it: JSON is what logs keep, and many variables are secrets. */
export const EnvChange = record(
  'change',
  {
    key: text('Name of the variable.'),
    change: oneOf(
      ['created', 'updated', 'rolled back', 'unchanged', 'deleted', 'queued', 'failed', 'unknown', 'not tried'],
      'What was done.',
    ),
    action: itsAction,
    error: itemError,
  },
  ['key', 'change'],
);

const aside = Symbol('aside');
/** What only the sentence tells; JSON does not see what stands behind a symbol. */
interface Aside {
  readonly stack_id: string;
  readonly before: Variable | undefined;
  /** As the service showed it after the change; undefined: not seen, or deleted. */
  readonly after?: Variable | undefined;
  /** What was asked for; undefined for a deletion. */
  readonly asked?: string;
  /** Came from where values are not shown. */
  readonly hidden?: boolean;
}
export type EnvChange = RecordOf<typeof EnvChange> & { readonly [aside]?: Aside };

export function changed(key: string, change: EnvChange['change'], told: Aside): EnvChange {
  return { key, change, error: null, [aside]: told };
}

/** A change that goes on as an action: what the service shows of the variable is no result yet. */
export function queued(key: string, action: Action, told: Aside): EnvChange {
  return { key, change: 'queued', action, error: null, [aside]: told };
}

/** What became of a variable that was not changed, as far as that is known. */
export function leftAlone({ key }: { readonly key: string }, error: EnvChange['error'], seen?: unknown): EnvChange {
  const action = actionOf(seen);
  return { key, change: misfortune(error), ...(action && { action }), error };
}

/** The change as it was, now that the variable has been seen. */
export function seenAs(change: EnvChange, after: Variable): EnvChange {
  const told = change[aside];
  return told ? { ...change, [aside]: { ...told, after } } : change;
}

/** True for a change after which the service has not shown the variable. */
export function isUnseen(change: EnvChange): boolean {
  const { after, asked } = change[aside] ?? {};
  return isWritten(change) && change.change !== 'queued' && asked !== undefined && after === undefined;
}

/** True for a variable of which the service now shows another value than the one asked for. */
export function isAmiss(change: EnvChange): boolean {
  const { after, asked } = change[aside] ?? {};
  return isWritten(change) && after !== undefined && asked !== undefined && settingText(after.value) !== asked;
}

/** `LOG_LEVEL updated (info -> debug)`, when code sees it, and what undoes it. */
export function presentChanges(changes: readonly EnvChange[], audience: Audience): Presentation {
  const lines = changes.map((change) => `${change.key} ${wordsOf(change)}${values(change, audience)}`);
  const late = changes.some(isWritten) ? ['Running code may see this only after the next deployment.'] : [];
  const restoring = restore(changes, audience);
  if (restoring) return { kind: 'done', lines: [...lines, ...late], undo: [restoring], undoHoldsValues: true };
  return { kind: 'done', lines: [...lines, ...late], undo: undoOf(changes) };
}

function wordsOf({ change, action, [aside]: told }: EnvChange): string {
  if (!action) return change;
  return told && told.asked === undefined ? `deletion ${actionWords(action)}` : actionWords(action);
}

function isWritten({ change, [aside]: told }: EnvChange): boolean {
  return told !== undefined && change !== 'unchanged';
}

function values(change: EnvChange, audience: Audience): string {
  const told = change[aside];
  if (!told) return '';
  const { before, after, asked } = told;
  const is = after ? settingText(after.value) : asked;
  const hidden = told.hidden || [before, after].some((variable) => variable && isSecret(variable));
  const was = before && shownValue(settingText(before.value), hidden, audience);
  if (is === undefined || change.change === 'unchanged') {
    const lost = change.change === 'deleted' && !isRestorable(change, audience) ? '; no undo' : '';
    return ` (${is === undefined ? 'was ' : ''}${was}${lost})`;
  }
  const now = shownValue(is, hidden || isSecret({ key: change.key, value: is, is_password: false }), audience);
  return was === undefined ? ` (${now})` : ` (${was} -> ${now})`;
}

/** Sets what was deleted again, with its values: shown once, to a person, and kept nowhere. */
function restore(changes: readonly EnvChange[], audience: Audience): CommandLine | undefined {
  const deleted = changes.filter((change) => isRestorable(change, audience));
  const stack_id = deleted[0]?.[aside]?.stack_id;
  if (stack_id === undefined) return undefined;
  const operands = deleted.map(({ key, [aside]: told }) => `${key}=${settingText(told?.before?.value)}`);
  return { path: 'stack env set', operands, stack_id };
}

/** A password has no place on a screen, nor a value that no line can show. */
function isRestorable({ change, key, [aside]: told }: EnvChange, { terminal }: Audience): boolean {
  if (!terminal || change !== 'deleted' || !told?.before || isSecret(told.before)) return false;
  return commandText({ path: 'stack env set', operands: [`${key}=${settingText(told.before.value)}`] }) !== undefined;
}

/** The commands that hold no value. */
function undoOf(changes: readonly EnvChange[]): readonly CommandLine[] {
  const stack_id = changes.find((change) => change[aside])?.[aside]?.stack_id;
  if (stack_id === undefined) return [];
  const keysOf = (is: (change: EnvChange) => boolean) => changes.filter(is).map(({ key }) => key);
  const lines: readonly CommandLine[] = [
    { path: 'stack env rollback', operands: keysOf(canRollBack), stack_id },
    { path: 'stack env unset', operands: keysOf(({ change }) => change === 'created'), stack_id },
  ];
  return lines.filter(({ operands = [] }) => operands.length > 0);
}

/** Not where the service has shown that its history leads elsewhere. */
function canRollBack({ change, [aside]: told }: EnvChange): boolean {
  if (!told?.before || (change !== 'updated' && change !== 'rolled back')) return false;
  return !told.after?.history || previousOf(told.after)?.value === settingText(told.before.value);
}
