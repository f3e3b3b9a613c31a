import type { Context, Presentation } from '../contract/command.ts';
import { group, nullable, oneOf, opaque, text } from '../contract/field.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { actionWords, isAction, StackAction } from '../resources/action.ts';
import { settingId } from '../resources/setting-id.ts';
import { settingText } from '../resources/setting-text.ts';
import type { Assignment } from './assignment.ts';
import { changeEach, failedOrNot, itemError } from './batch.ts';

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
  readonly lister: string;
}

/** What happened to one setting. */
export const SettingChange = record(
  'change',
  {
    key: text('Key of the setting.'),
    change: oneOf(['queued', 'unchanged', 'failed', 'not tried'], 'What was done.'),
    before: opaque('Value before.'),
    after: opaque('Value it was given.'),
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

/** Changes what differs, one after the other; nothing is written unless every key is known and may be changed. */
export async function changeSettings<S extends Setting>(
  context: Context,
  shelf: Shelf<S>,
  wanted: readonly Assignment[],
): Promise<readonly SettingChange[]> {
  const known = await shelf.list();
  const plan = wanted.map(({ key, value }) => ({ before: find(known, key, shelf.lister), value }));
  const touched = plan.filter(differs).map(({ before }) => before);
  refuseReadonly(touched);
  for (const { key, warning_text } of touched) if (warning_text) shelf.warn(`${key}: ${warning_text}`);
  return changeEach<Step<S>, SettingChange>(context, plan, {
    nameOf: ({ before }) => before.key,
    act: async ({ before, value }) => {
      const { key, value: old } = before;
      const same = { key, before: old, after: old, action: null, error: null };
      if (!differs({ before, value })) return { ...same, change: 'unchanged' };
      const action = await shelf.write(settingId(before), value);
      return { ...same, change: 'queued', after: value, action };
    },
    undone: ({ before, value }, error, seen) => ({
      key: before.key,
      change: failedOrNot(error),
      before: before.value,
      after: value,
      action: isAction(seen) ? seen : null,
      error,
    }),
  });
}

interface Step<S extends Setting> {
  readonly before: S;
  readonly value: string;
}

/** `git.branch queued as action 812 (main -> release)`. */
export function presentChanges(changes: readonly SettingChange[]): Presentation {
  return {
    kind: 'done',
    lines: changes.map(({ key, change, before, after, action }) => {
      if (change === 'unchanged') return `${key} unchanged (${shown(before)})`;
      return `${key} ${action ? actionWords(action) : change} (${shown(before)} -> ${shown(after)})`;
    }),
  };
}

/** The bare value: text as it is, anything else as JSON. */
export function presentValue({ value }: Setting): Presentation {
  return { kind: 'value', text: settingText(value) };
}

/** In a sentence an empty text needs its quotes, and nothing needs a sign. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return value === '' ? '""' : settingText(value);
}

/** Values travel as text, so `true` asks for what the service shows as yes. */
function differs({ before, value }: { readonly before: Setting; readonly value: string }): boolean {
  return before.value === null || before.value === undefined || settingText(before.value) !== value;
}

function find<S extends Setting>(known: readonly S[], key: string, lister: string): S {
  const found = known.find((setting) => setting.key === key);
  if (found) return found;
  const close = nearest(
    key,
    known.map((setting) => setting.key),
  );
  const message = `no setting is called "${key}"${close ? `; did you mean "${close}"?` : ''}`;
  throw new Problem('not_found', message, { hint: lister });
}

function refuseReadonly(settings: readonly Setting[]): void {
  const locked = settings.filter((setting) => setting.readonly).map(({ key }) => key);
  if (locked.length === 0) return;
  const them = locked.length === 1 ? 'it' : 'them';
  throw new Problem(
    'rejected',
    `${locked.join(', ')} cannot be changed: the service marks ${them} as read-only; nothing was changed`,
  );
}
