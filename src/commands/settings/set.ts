import type { Command, Confirm, Context } from '../../contract/command.ts';
import { type Fields, type Input, many } from '../../contract/field.ts';
import { inPlace, type Noun, ownerIn } from '../../contract/noun.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question, Step, Summary } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/perform/change-record.ts';
import { asShown, readBack } from '../../kinds/perform/read-back.ts';
import { send } from '../../kinds/perform/send.ts';
import { shownBy } from '../../kinds/perform/shown-by.ts';
import { isUnderWay, linesOf, undoAfter, valueText, verbs } from '../../kinds/perform/summary.ts';
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
      const run: SettingsRun = { context, noun, update, place };
      const steps = assigned.map((one) => stepOf(run, one));
      return {
        steps,
        ask: ask?.(context, place, changed),
        finish: (changes) => readBackValues(run, changes),
        summarize: (changes) => summarizeSettings(run, steps, changes),
      };
    },
  });
}

interface SettingsRun {
  readonly context: Context;
  readonly noun: Noun;
  readonly update: Operation;
  readonly place: Input;
}

/** Whether a setting has the wanted value. Values are sent as text, so they are compared as text. */
export function isSet({ value }: Setting, asked: string): boolean {
  return !isNothing(value) && settingText(value) === asked;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function stepOf({ context, noun, update, place }: SettingsRun, { before, value }: Assigned): Step {
  const { key, warning_text } = before;
  const observer = shownBy(update, async (read) => {
    const rows: readonly Setting[] = await read(noun.list, place);
    return rows.some((row) => row.key === key && isSet(row, value));
  });
  return {
    id: { key, ...(noun.in && { server_uid: place[noun.in.param] }) },
    name: key,
    change: 'updated',
    before: before.value,
    after: value,
    isIdle: isSet(before, value),
    basis: before.value,
    send: () => {
      if (warning_text) context.warn(`${key}: ${warning_text}`);
      return send(context, update, { ...place, id: settingId(before), value }, observer);
    },
  };
}

/** Finished changes show the value that the service has now. */
function readBackValues({ context, noun, place }: SettingsRun, changes: readonly Change[]): Promise<readonly Change[]> {
  return readBack(
    changes,
    (): Promise<readonly Setting[]> => readAll(context, noun, place),
    (change, known) => {
      const found = known.find(({ key }) => key === change['key']);
      if (!found) return change;
      const { after: wanted } = change;
      const isWanted = isSet(found, String(wanted));
      return asShown(context, change, { name: found.key, wanted, now: found.value, isWanted });
    },
  );
}

/** `updating git.branch (action 812, queued): main -> release`. A setting that had no value cannot be restored. */
function summarizeSettings(
  { context, noun, place }: SettingsRun,
  steps: readonly Step[],
  changes: readonly Change[],
): Summary {
  const restorable = changes.filter((change) => isUnderWay(change) && !isNothing(change.before));
  const operands = [...ownerIn(noun, place), ...restorable.map(({ key, before }) => `${key}=${settingText(before)}`)];
  const undo = restorable.length === 0 ? [] : [{ path: context.command, operands, ...inPlace(place) }];
  return {
    lines: linesOf(steps, changes, { verb: verbs.update, details: (change) => [valuesText(change)] }),
    undo: undoAfter(restorable, place['stack_id'], undo),
    undoHoldsValues: true,
  };
}

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
