import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { findAmong, findParentInput, readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { idFields, parentCommandSpec } from '../../builders/resource/row.ts';
import { assertModelMaySet, write } from '../../builders/write.ts';
import type { Command, Confirm, Context } from '../../contract/command.ts';
import { targetsOfInput } from '../../contract/command-line.ts';
import { type Fields, type Input, opaque, secret } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Change, Plan, Question, ReplacedValue } from '../../contract/plan.ts';
import type { Row } from '../../contract/record.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { valueAsText } from '../../resources/env.ts';
import { isSecretSetting, operationsOf, type SettingRow, settingId } from '../../resources/setting.ts';
import { pairsField, readPairs } from '../env/change-set.ts';
import { withSecretValue } from '../env/plan.ts';

export interface Assignment {
  readonly before: SettingRow;
  readonly value: string;
  /** True if neither the old nor the new value may be shown, so the undo leaves the setting out. */
  readonly isHidden?: boolean;
}

interface SetSettingsSpec extends Pick<Command, 'about' | 'examples'> {
  readonly confirm?: Confirm;
  readonly severalStacks?: 'in turn';
  readonly ask?: (context: Context, parent: Input, changedAssignments: readonly Assignment[]) => Question | undefined;
}

/** Makes a command that changes settings. It sends nothing unless every key exists and can be changed. */
export function createSetCommand(resource: ResourceType, { ask, ...spec }: SetSettingsSpec): Command {
  const { params, positionals, calls } = parentCommandSpec(resource);
  const identifyingFields = { ...idFields(resource), ...(resource.in && { server_uid: resource.in.fields['uid'] }) };
  return write({
    ...spec,
    params: { ...params, assignments: pairsField({ ...resource.argumentField, about: 'Key and value.' }) } as Fields,
    positionals: [...positionals, 'assignments'],
    calls: [...calls, resource.list, operationsOf(resource).update],
    record: { ...changeRecord(identifyingFields, { before: secret(opaque('Its value.')) }), isSecret: hasSecret },
    printsList: true,
    plan: async (context, input): Promise<Plan> => {
      const pairs = readPairs(input['assignments'] as readonly string[], 'setting');
      const parent = await findParentInput(context, resource, input);
      const rows: readonly SettingRow[] = await readAll(context, resource, parent);
      const assignments = pairs.map(({ key, value }) => ({ before: findAmong(resource, rows, key, input), value }));
      for (const { before, value } of assignments) {
        const isSecret = hasSecret({ key: before.key, before: before.value, after: value });
        assertModelMaySet(context, { name: before.key, value, isSecret });
      }
      const changedAssignments = assignments.filter(({ before, value }) => !hasRequestedValue(before, value));
      refuseReadonly(changedAssignments.map(({ before }) => before));
      const plan = planSettings(context, { resource, parent, input }, assignments);
      return { ...plan, ask: ask?.(context, parent, changedAssignments) };
    },
  });
}

interface SettingsTarget {
  readonly resource: ResourceType;
  readonly parent: Input;
  /** The target as it was typed, for the printed undo. */
  readonly input: Input;
}

export function planSettings(context: Context, target: SettingsTarget, assignments: readonly Assignment[]): Plan {
  const { resource, parent } = target;
  const read = (readList: Read): Promise<readonly SettingRow[]> => readList(resource.list, parent);
  const { update } = operationsOf(resource);
  const server = resource.in && parent[resource.in.param];
  const settingEdits = assignments.map(({ before, value, isHidden }): Edit<readonly SettingRow[]> => {
    const { key, warning_text } = before;
    const settingIn = (rows: readonly SettingRow[]) => rows.find((row) => row.key === key);
    return {
      id: { key, ...(resource.in && { server_uid: server }) },
      name: key,
      stateBefore: [before],
      read,
      valueIn: (rows) => settingIn(rows)?.value,
      requested: value,
      hasRequestedValue: (rows) => hasRequestedValue(settingIn(rows), value),
      operation: isHidden ? withSecretValue(update) : update,
      request: { ...parent, id: settingId(before), value },
      warning: warning_text,
      replaces: [replacedValue(before, value, server)],
    };
  });
  const undoWith = (serverOperand: unknown, changes: readonly Change[]) => {
    const shownChanges = changes.filter((_, at) => !assignments[at]?.isHidden);
    // An undo that contains a secret is not printed without --reveal.
    if (!context.reveal && shownChanges.some(hadSecret)) return [];
    return undoCommands(target, serverOperand, shownChanges);
  };
  return {
    ...planEdits(context, settingEdits),
    summarize: (changes) => ({
      lines: linesOf(settingEdits, changes, { verb: verbs.update, details: (change) => [valuesText(change)] }),
      undo: undoWith(server, changes),
      undoByName: undoWith(serverAsTyped(target, changes) ?? server, changes),
      undoHoldsSecret: changes.some(hadSecret),
    }),
  };
}

/** True if a setting has the requested value. Both values are compared as text, because the request sends text. */
export function hasRequestedValue(setting: SettingRow | undefined, requested: string): boolean {
  return setting?.value != null && valueAsText(setting.value) === requested;
}

function replacedValue({ key, value }: SettingRow, after: string, server: unknown): ReplacedValue {
  const before = value == null ? null : valueAsText(value);
  if (server === undefined) return { kind: 'setting', key, before, after };
  return { kind: 'server setting', key: `${key} of server ${server}`, title: key, before, after };
}

function undoCommands({ resource, parent }: SettingsTarget, server: unknown, changes: readonly Change[]) {
  // A setting that had no value cannot be restored, so the undo leaves it out.
  const restorable = changes.filter((change) => isUnderWay(change) && change.before != null);
  const assignments = restorable.map(({ key, before }) => `${key}=${valueAsText(before)}`);
  const operands = server === undefined ? assignments : [String(server), ...assignments];
  const path = resource.listed.replace(/list$/, 'set');
  const undo = restorable.length === 0 ? [] : [{ path, operands, ...targetsOfInput(parent) }];
  return undoAfter(restorable, parent['stack_id'], undo);
}

/** Returns the typed name of the server; undefined after a change of its name, because then only its UID finds it. */
function serverAsTyped({ resource, input }: SettingsTarget, changes: readonly Change[]): unknown {
  const argument = resource.in && input[resource.in.argument];
  return changes.some(({ before }) => before === argument) ? undefined : argument;
}

function hadSecret({ key, before }: Row): boolean {
  return before != null && isSecretSetting({ key, value: before });
}

function hasSecret({ key, before, after }: Row): boolean {
  return hadSecret({ key, before }) || hadSecret({ key, before: after });
}

function valuesText(change: Change): string {
  const isHidden = hasSecret(change);
  const [before, after] = [change.before, change.after].map((value) => {
    return isHidden && value != null ? mask : valueText(value == null ? value : valueAsText(value));
  });
  if (['unchanged', 'accepted'].includes(change.change)) return `${before}`;
  const noUndoText = isUnderWay(change) && change.before == null ? '; no undo' : '';
  return `${before} -> ${after}${noUndoText}`;
}
