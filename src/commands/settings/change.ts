import { changeEach, itemError } from '../../batch/change-each.ts';
import type { Context, Presentation } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, nullable, oneOf, opaque, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { readBack } from '../../kinds/read-back.ts';
import { Problem } from '../../problems/problem.ts';
import { actionWords, isAction, StackAction } from '../../resources/action.ts';
import { settingId } from '../../resources/setting-id.ts';
import { settingText } from '../../resources/setting-text.ts';
import type { Assignment } from '../assignment.ts';
import { changeStates, fate, isUnderWay, misfortune, undoAfter } from '../queued-change.ts';
import { refuseReadonly } from '../refuse-readonly.ts';

/** A setting as the lists of stacks and of servers show it. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly readonly?: boolean;
  readonly id?: unknown;
  readonly warning_text?: string;
}

/** Where settings are kept: a stack or a server. */
export interface Shelf<S extends Setting> {
  readonly list: () => Promise<readonly S[]>;
  readonly read: (id: string) => Promise<S>;
  readonly write: (id: string, value: string) => Promise<RecordOf<typeof StackAction>>;
  readonly warn: (line: string) => void;
  /** The command that shows what there is. */
  readonly lister: CommandLine;
  /** The server they belong to, where it is one. */
  readonly of?: { readonly server_uid: string };
}

/** What happened to one setting. */
export const SettingChange = record(
  'change',
  {
    key: text('Key of the setting.'),
    change: oneOf(changeStates, 'What was done.'),
    before: opaque('Value before.'),
    after: opaque('Value it was given.'),
    server_uid: optional(text('UID of the server it is a setting of.')),
    action: nullable(group(StackAction.fields, 'The action that was queued.')),
    error: itemError,
  },
  ['key', 'change', 'before', 'after'],
);
type SettingChange = RecordOf<typeof SettingChange>;

/** One setting by its key. A token that may not list may still be allowed to read one. Throws not_found. */
export async function readSetting<S extends Setting>(shelf: Shelf<S>, key: string): Promise<S> {
  try {
    return find(await shelf.list(), key, shelf.lister);
  } catch (error) {
    if (error instanceof Problem && error.details.status === 403) return shelf.read(settingId({ key }));
    throw error;
  }
}

/** Changes what differs; nothing is written unless every key is known and may be changed. */
export async function changeSettings<S extends Setting>(
  context: Context,
  shelf: Shelf<S>,
  wanted: readonly Assignment[],
): Promise<readonly SettingChange[]> {
  const plan = await planSettings(shelf, wanted);
  const touched = plan.filter(differs).map(({ before }) => before);
  for (const { key, warning_text } of touched) if (warning_text) shelf.warn(`${key}: ${warning_text}`);
  const rows = await changeEach<Step<S>, SettingChange>(context, plan, {
    nameOf: ({ before }) => before.key,
    act: (step) => write(shelf, step),
    wasIdle: ({ change }) => change === 'unchanged',
    undone: ({ before: { key, value: before }, value }, error, seen) => {
      const action = isAction(seen) ? seen : null;
      return { key, change: misfortune(error), before, after: value, ...shelf.of, action, error };
    },
  });
  return withShown(context, shelf, rows);
}

/** Every key with what it is now; throws not_found, or rejected where one that would change is read-only. */
export async function planSettings<S extends Setting>(
  shelf: Shelf<S>,
  wanted: readonly Assignment[],
): Promise<readonly Step<S>[]> {
  const known = await shelf.list();
  const plan = wanted.map(({ key, value }) => ({ before: find(known, key, shelf.lister), value }));
  refuseReadonly(plan.filter(differs).map(({ before }) => before));
  return plan;
}

async function write<S extends Setting>(shelf: Shelf<S>, { before, value }: Step<S>): Promise<SettingChange> {
  const { key, value: old } = before;
  const same = { key, change: 'unchanged', before: old, after: old, ...shelf.of, action: null, error: null } as const;
  if (!differs({ before, value })) return same;
  const action = await shelf.write(settingId(before), value);
  return { ...same, change: fate(action), after: value, action };
}

/** What has ended is shown as the service shows it now. */
async function withShown<S extends Setting>(
  context: Context,
  shelf: Shelf<S>,
  changes: readonly SettingChange[],
): Promise<readonly SettingChange[]> {
  if (!changes.some(({ change }) => change === 'changed')) return changes;
  const known = await readBack(context, shelf.list);
  return changes.map((row) => {
    const now = known?.find(({ key }) => key === row.key);
    if (row.change !== 'changed' || !now) return row;
    if (settingText(now.value) !== row.after) context.warn(`${row.key} now shows ${shown(now.value)}`);
    return { ...row, after: now.value };
  });
}

interface Step<S extends Setting> {
  readonly before: S;
  readonly value: string;
}

type StackCommand = CommandLine & { readonly stack_id: string };

/** `git.branch queued as action 812 (main -> release)`; `where` is the command that changes them. */
export function presentChanges(changes: readonly SettingChange[], where: StackCommand): Presentation {
  return { kind: 'done', lines: changes.map(lineOf), undo: undoOf(changes, where), undoHoldsValues: true };
}

function lineOf({ key, change, before, after, action }: SettingChange): string {
  if (change === 'unchanged') return `${key} unchanged (${shown(before)})`;
  const lost = isUnderWay(change) && isNothing(before) ? '; no undo' : '';
  return `${key} ${action ? actionWords(action) : change} (${shown(before)} -> ${shown(after)}${lost})`;
}

/** Nothing gives a setting its having no value back. */
function undoOf(changes: readonly SettingChange[], where: StackCommand): readonly CommandLine[] {
  const restorable = changes.filter(({ change, before }) => isUnderWay(change) && !isNothing(before));
  const pairs = restorable.map(({ key, before }) => `${key}=${settingText(before)}`);
  const undo = pairs.length === 0 ? [] : [{ ...where, operands: [...(where.operands ?? []), ...pairs] }];
  const actions = restorable.map(({ action }) => action);
  return undoAfter(actions, where.stack_id, undo);
}

/** The bare value: text as it is, anything else as JSON. */
export function presentValue({ value }: Setting): Presentation {
  return { kind: 'value', text: settingText(value) };
}

/** In a sentence an empty text needs its quotes, and nothing needs a sign. */
function shown(value: unknown): string {
  if (isNothing(value)) return '-';
  return value === '' ? '""' : settingText(value);
}

/** Values travel as text, so `true` asks for what the service shows as yes. */
function differs({ before, value }: { readonly before: Setting; readonly value: string }): boolean {
  return isNothing(before.value) || settingText(before.value) !== value;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function find<S extends Setting>(known: readonly S[], word: string, lister: CommandLine): S {
  const keyOf = ({ key }: S) => key;
  return findNamed(known, word, { kind: 'setting', idOf: keyOf, nameOf: keyOf, lister });
}
