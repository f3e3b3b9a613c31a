import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { findAmong, findParentInput, readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { idFields, parentParts } from '../../builders/resource/row.ts';
import { assertModelMaySet, write } from '../../builders/write.ts';
import type { Command, Confirm, Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, type Input, many, opaque, secret } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question, ReplacedValue } from '../../contract/plan.ts';
import type { Row } from '../../contract/record.ts';
import { type ResourceType, targetFlags } from '../../contract/resource.ts';
import { valueText } from '../../contract/values/json.ts';
import { mask } from '../../contract/values/text.ts';
import { valueAsText } from '../../resources/env.ts';
import { isSecretSetting, type Setting, settingId } from '../../resources/setting.ts';
import { readPairs } from '../env/change-set.ts';

export interface Assignment {
  readonly before: Setting;
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
export function setSettings(resource: ResourceType, update: Operation, { ask, ...spec }: SetSettingsSpec): Command {
  const { params, positionals, calls } = parentParts(resource);
  return write({
    ...spec,
    params: {
      ...params,
      assignments: many(
        { ...resource.argumentField, about: 'Key and value.' },
        'Key and value, split at the first `=`.',
        { label: 'KEY=VALUE', assigns: [], empty: 'KEY= sets an empty one.' },
      ),
    } as Fields,
    positionals: [...positionals, 'assignments'],
    calls: [...calls, resource.list, update],
    record: {
      ...changeRecord(
        { ...idFields(resource), ...(resource.in && { server_uid: resource.in.fields['uid'] }) },
        { before: secret(opaque('Its value.')) },
      ),
      isSecret: hasSecret,
    },
    printsList: true,
    plan: async (context, input): Promise<Plan> => {
      const pairs = readPairs(input['assignments'] as readonly string[], 'setting');
      const parent = await findParentInput(context, resource, input);
      const rows: readonly Setting[] = await readAll(context, resource, parent);
      const assignments = pairs.map(({ key, value }) => ({ before: findAmong(resource, rows, key, input), value }));
      for (const { before, value } of assignments) {
        const isSecret = hasSecret({ key: before.key, before: before.value, after: value });
        assertModelMaySet(context, { name: before.key, value, isSecret });
      }
      const changedAssignments = assignments.filter(({ before, value }) => !hasRequestedValue(before, value));
      refuseReadonly(changedAssignments.map(({ before }) => before));
      const settingsTarget = { path: context.command, resource, update, parent, input };
      return { ...planSettings(context, settingsTarget, assignments), ask: ask?.(context, parent, changedAssignments) };
    },
  });
}

interface SettingsTarget {
  /** The path of the command that undoes a change. */
  readonly path: string;
  readonly resource: ResourceType;
  readonly update: Operation;
  readonly parent: Input;
  /** The target as it was typed, for the printed undo. */
  readonly input: Input;
}

/** Plans changes of settings of one stack or server, one step each. */
export function planSettings(context: Context, target: SettingsTarget, assignments: readonly Assignment[]): Plan {
  const { resource, update, parent, input } = target;
  const read = (readList: Read): Promise<readonly Setting[]> => readList(resource.list, parent);
  const { value: field } = update.params;
  const hidingUpdate = { ...update, params: { ...update.params, value: secret(field) } };
  const settingEdits = assignments.map(({ before, value, isHidden }): Edit<readonly Setting[]> => {
    const { key, warning_text } = before;
    const settingIn = (rows: readonly Setting[]) => rows.find((row) => row.key === key);
    return {
      id: { key, ...(resource.in && { server_uid: parent[resource.in.param] }) },
      name: key,
      stateBefore: [before],
      read,
      valueIn: (rows) => settingIn(rows)?.value,
      requested: value,
      hasRequestedValue: (rows) => hasRequestedValue(settingIn(rows), value),
      operation: isHidden ? hidingUpdate : update,
      request: { ...parent, id: settingId(before), value },
      warning: warning_text,
      replaces: [replacedValue(before, value, parent[resource.in?.param ?? ''])],
    };
  });
  const undoFor = (parentInput: Input, changes: readonly Change[]) => {
    const shownChanges = changes.filter((_, at) => !assignments[at]?.isHidden);
    // An undo that contains a secret is not printed without --reveal.
    if (!context.reveal && shownChanges.some(hadSecret)) return [];
    return undoCommands({ ...target, parent: parentInput }, shownChanges);
  };
  return {
    ...planEdits(context, settingEdits),
    summarize: (changes) => ({
      lines: linesOf(settingEdits, changes, { verb: verbs.update, details: (change) => [valuesText(change)] }),
      undo: undoFor(parent, changes),
      undoByName: undoFor({ ...parent, ...ownerAsTyped(resource, input, changes) }, changes),
      undoHoldsSecret: changes.some(hadSecret),
    }),
  };
}

/** True if a setting has the requested value. Both values are compared as text, because the request sends text. */
export function hasRequestedValue(setting: Setting | undefined, requested: string): boolean {
  return setting?.value != null && valueAsText(setting.value) === requested;
}

function replacedValue({ key, value }: Setting, after: string, server: unknown): ReplacedValue {
  const before = value == null ? null : valueAsText(value);
  return server === undefined
    ? { kind: 'setting', key, before, after }
    : { kind: 'server setting', key: `${key} of server ${server}`, title: key, before, after };
}

function undoCommands({ path, resource, parent }: SettingsTarget, changes: readonly Change[]): readonly CommandLine[] {
  // A setting that had no value cannot be restored, so the undo leaves it out.
  const restorable = changes.filter((change) => isUnderWay(change) && change.before != null);
  const ownerOperands = resource.in ? [String(parent[resource.in.param])] : [];
  const operands = [...ownerOperands, ...restorable.map(({ key, before }) => `${key}=${valueAsText(before)}`)];
  const undo = restorable.length === 0 ? [] : [{ path, operands, ...targetFlags(parent) }];
  return undoAfter(restorable, parent['stack_id'], undo);
}

function ownerAsTyped({ in: owner }: ResourceType, input: Input, changes: readonly Change[]): Input {
  const argument = owner && input[owner.argument];
  // After a change of its name a server is found only by its UID, so the undo keeps the UID.
  const isRenamed = changes.some(({ before }) => before === argument);
  return owner && !isRenamed ? { [owner.param]: argument } : {};
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
