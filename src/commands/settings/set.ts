import type { Command, Confirm, Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, type Input, many } from '../../contract/field.ts';
import { inPlace, type Noun, ownerIn } from '../../contract/noun.ts';
import type { Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question } from '../../contract/plan.ts';
import { type Edit, edits } from '../../kinds/perform/edit.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, valueText, verbs } from '../../kinds/perform/summary.ts';
import { findAmong, findPlace, readAll } from '../../kinds/resource/find.ts';
import { placeArguments, placeLists, placeParams } from '../../kinds/resource/params.ts';
import { refuseReadonly } from '../../kinds/resource/refuse.ts';
import { idFields } from '../../kinds/resource/row.ts';
import { write } from '../../kinds/write.ts';
import { type Setting, settingId, settingText } from '../../resources/setting.ts';
import { readPairs } from '../assignment.ts';

/** One setting and its new value. */
export interface Assigned {
  readonly before: Setting;
  /** As it is sent. */
  readonly value: string;
}

interface SetSettings extends Pick<Command, 'about' | 'examples'> {
  readonly confirm?: Confirm;
  /** The question before the change; undefined where none is needed. */
  readonly ask?: (context: Context, place: Input, changed: readonly Assigned[]) => Question | undefined;
}

/** Changes settings of a stack or a server. Nothing is sent unless every key exists and can be changed. */
export function setSettings(noun: Noun, update: Operation, { ask, ...spec }: SetSettings): Command {
  return write({
    ...spec,
    params: {
      ...placeParams(noun),
      assignments: many({ ...noun.argumentField, about: 'Key and value.' }, 'Key and value, split at the first `=`.', {
        label: 'KEY=VALUE',
        assigns: [],
        empty: 'KEY= sets an empty one.',
      }),
    } as Fields,
    positionals: [...placeArguments(noun), 'assignments'],
    calls: [...placeLists(noun), noun.list, update],
    record: changeRecord({ ...idFields(noun), ...(noun.in && { server_uid: noun.in.fields['uid'] }) }),
    isList: true,
    plan: async (context, input): Promise<Plan> => {
      const wanted = readPairs(input['assignments'] as readonly string[], { kind: 'setting' });
      const place = await findPlace(context, noun, input);
      const known: readonly Setting[] = await readAll(context, noun, place);
      const assigned = wanted.map(({ key, value }) => ({ before: findAmong(noun, known, key, place), value }));
      const changed = assigned.filter(({ before, value }) => !isSet(before, value));
      refuseReadonly(changed.map(({ before }) => before));
      const all = editsOf(noun, update, { place, known, assigned });
      return {
        ...edits(context, all),
        ask: ask?.(context, place, changed),
        summarize: (changes) => ({
          lines: linesOf(all, changes, { verb: verbs.update, details: (change) => [valuesText(change)] }),
          undo: undoOf(changes, { context, noun, place }),
          undoHoldsValues: true,
        }),
      };
    },
  });
}

interface SettingsPlan {
  readonly place: Input;
  readonly known: readonly Setting[];
  readonly assigned: readonly Assigned[];
}

function editsOf(
  noun: Noun,
  update: Operation,
  { place, known, assigned }: SettingsPlan,
): readonly Edit<readonly Setting[]>[] {
  const read = (reading: Read): Promise<readonly Setting[]> => reading(noun.list, place);
  return assigned.map(({ before, value }) => {
    const { key, warning_text } = before;
    const settingIn = (rows: readonly Setting[]) => rows.find((row) => row.key === key);
    return {
      id: { key, ...(noun.in && { server_uid: place[noun.in.param] }) },
      name: key,
      held: known,
      read,
      valueIn: (rows) => settingIn(rows)?.value,
      wanted: value,
      isWanted: (rows) => isSet(settingIn(rows), value),
      operation: update,
      request: { ...place, id: settingId(before), value },
      warning: warning_text,
    };
  });
}

/** Whether a setting has the wanted value. Values are sent as text, so they are compared as text. */
export function isSet(setting: Setting | undefined, asked: string): boolean {
  return !isNothing(setting?.value) && settingText(setting?.value) === asked;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

interface SettingsPlace {
  readonly context: Context;
  readonly noun: Noun;
  readonly place: Input;
}

/** A setting that had no value cannot be restored. */
function undoOf(changes: readonly Change[], { context, noun, place }: SettingsPlace): readonly CommandLine[] {
  const restorable = changes.filter((change) => isUnderWay(change) && !isNothing(change.before));
  const operands = [...ownerIn(noun, place), ...restorable.map(({ key, before }) => `${key}=${settingText(before)}`)];
  const undo = restorable.length === 0 ? [] : [{ path: context.command, operands, ...inPlace(place) }];
  return undoAfter(restorable, place['stack_id'], undo);
}

/** `main -> release` */
function valuesText(change: Change): string {
  const { before, after } = change;
  if (['unchanged', 'accepted'].includes(change.change)) return textOf(before);
  const lost = isUnderWay(change) && isNothing(before) ? '; no undo' : '';
  return `${textOf(before)} -> ${textOf(after)}${lost}`;
}

/** In a sentence an empty text is shown as quotes, and no value as a dash. */
function textOf(value: unknown): string {
  return valueText(isNothing(value) ? value : settingText(value));
}
