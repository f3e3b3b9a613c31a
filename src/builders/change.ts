import type { Command, Confirm, Context } from '../contract/command.ts';
import { type CommandLine, flagWords } from '../contract/command-line.ts';
import { type Field, type Fields, type Input, optional } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Question, ReplacedValue } from '../contract/plan.ts';
import { listCommand, listInput, type ResourceType, targetFlags } from '../contract/resource.ts';
import { isObject, valueText } from '../contract/values/json.ts';
import { mask } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { describeStack } from '../resources/stack.ts';
import { type Edit, planEdits } from './execute/edit.ts';
import { isSame } from './execute/send.ts';
import {
  acceptedLine,
  changeLine,
  changeRecord,
  changeWords,
  isUnderWay,
  undoAfter,
  verbs,
} from './execute/summary.ts';
import { assertAllowed, findTarget, onlyOf, readAll } from './resource/find.ts';
import { identityOf, idFields, parentParts, valueArgsOf } from './resource/row.ts';
import { write } from './write.ts';

interface ChangeWording {
  readonly kind: ReplacedValue['kind'];
  /** The parameters of the new values. Required parameters are arguments, optional parameters are flags. */
  readonly params: Fields;
  /** Returns the text in place of `before -> after`: `open until 21:59 UTC (8h)`. Undefined keeps the default text. */
  readonly describe?: (field: string, value: unknown, now: Date) => string | undefined;
  /** The unit after a value: ` %`. */
  readonly unit?: string;
}

/** `Requested` is the type of the new values, without the resource and its targets. */
interface ChangeSpec<Row, Requested extends Input> extends ChangeWording {
  readonly about?: string;
  readonly examples: readonly string[];
  /** Returns the reason for a refusal, `the active version, and only a canary has a share to set`, or undefined. */
  readonly refuse?: (row: Row) => string | undefined;
  /** The word for a row that `refuse` accepts: `canary`. If there is only one such row, the argument may be omitted. */
  readonly impliedRow?: string;
  readonly confirm?: Confirm;
  /** Returns the question without its name; undefined for no question. `stack` returns `shop/production`. */
  readonly ask?: (requested: Requested, row: Row, stack: () => Promise<string>) => Omit<Question, 'name'> | undefined;
  /** Fixed values of the request, in addition to the target, the id and the new values. */
  readonly request?: Input;
  /** Returns true if the row shows the new values, undefined if no row can. The default compares `project`'s fields. */
  readonly verify?: (row: Row, requested: Requested) => boolean | undefined;
  /** Returns the fields of the row after the change; by default they are the new values. */
  readonly project?: (requested: Requested, now: Date) => Partial<Row>;
  /** Returns the old values that can be restored, as arguments. By default these are all strings and numbers. */
  readonly undo?: (before: Input) => Input;
}

/** Returns a command that changes values of one resource. Its row proves the change, and the old values undo it. */
export function change<Row, Requested extends Input>(
  resource: ResourceType<Row>,
  operation: Operation,
  spec: ChangeSpec<Row, Requested>,
): Command {
  const { params, examples, confirm, impliedRow, about = operation.about } = spec;
  const { argumentField } = resource;
  return write({
    about,
    params: {
      ...parentParts(resource).params,
      [resource.argument]: impliedRow ? optional(argumentField) : argumentField,
      ...params,
    },
    positionals: [resource.argument, ...argumentsOf(params)],
    examples,
    calls: [resource.list, operation],
    record: changeRecord(idFields(resource)),
    ...(confirm && { confirm }),
    plan: async (context, input): Promise<Plan> => {
      const args = valueArgsOf(resource, input);
      if (Object.keys(args).length === 0) throw nothingRequestedError(params);
      const row = await rowFor(context, resource, input, spec);
      assertAllowed(resource, row, input, spec.refuse?.(row));
      const differences = Object.entries(args).filter(([name, value]) => (row as Input)[name] !== value);
      const requested = Object.fromEntries(differences) as Requested;
      const project = (values: Input) => spec.project?.(values as Requested, context.now()) ?? values;
      const edit = editOf(resource, operation, spec, { input, row, requested, expected: project(requested) });
      const question = spec.ask?.(requested, row, () => describeStack(context, String(input['stack_id'])));
      return {
        ...planEdits(context, [{ ...edit, replaces: replacedBy(resource, spec, row as Input, project(args)) }]),
        summarize: (changes) => {
          const [result] = changes as [Change];
          const fields = changedFieldsOf(result, spec.undo);
          const undoArgs = undoArgsOf(String(resource.idOf(row)), fields);
          const undo = undoArgs && [{ path: context.command, ...targetFlags(input), ...undoArgs }];
          return {
            lines: linesOfChange(result, edit.name, fields, { ...spec, now: context.now() }),
            undo: undoAfter(changes, input['stack_id'], undo ?? []),
          };
        },
        ...(question && { ask: { name: resource.titleOf(row), ...question } }),
      };
    },
  });
}

async function rowFor<Row>(
  context: Context,
  resource: ResourceType<Row>,
  input: Input,
  { impliedRow: name, refuse }: Pick<ChangeSpec<Row, Input>, 'impliedRow' | 'refuse'>,
): Promise<Row> {
  const isNamed = input[resource.argument] !== undefined;
  if (isNamed || name === undefined) return (await (await findTarget(context, resource, input)).read()).row;
  const rows = await readAll(context, resource, input);
  const allowedRows = rows.filter((row) => refuse?.(row) === undefined);
  return onlyOf(allowedRows, { name, idOf: resource.idOf, hint: listCommand(resource, input) });
}

function editOf<Row, Requested extends Input>(
  resource: ResourceType<Row>,
  operation: Operation,
  { params, verify, request }: ChangeSpec<Row, Requested>,
  { input, row, requested, expected }: { input: Input; row: Row; requested: Requested; expected: Input },
): Edit<Row | undefined> {
  const target = listInput(resource, input);
  const id = resource.idOf(row);
  const names = Object.keys(expected);
  const isSingle = argumentsOf(params).length === 1;
  // Credentials are masked. If exactly one value is an argument, the change record holds the bare value, not an object.
  const valueIn = (state: Input) => {
    const values = names.map((name) => [name, resource.fields[name]?.secret ? mask : (state[name] ?? null)]);
    return isSingle ? values[0]?.[1] : Object.fromEntries(values);
  };
  const isReached = (state: Input) => names.every((name) => state[name] === expected[name]);
  return {
    id: identityOf(resource, row),
    name: `${resource.name} ${resource.titleOf(row)}`,
    state: row,
    read: async (read) => (await read(resource.list, target)).find((one: Row) => resource.idOf(one) === id),
    valueIn: (observed) => observed && valueIn(observed),
    requested: valueIn(expected),
    isReached: (observed) => observed && (verify ? verify(observed, requested) : isReached(observed)),
    operation,
    request: { ...target, ...request, ...requested, [resource.param]: id },
  };
}

function replacedBy(resource: ResourceType, { kind, params }: ChangeWording, row: Input, expected: Input) {
  const { name, fields, idOf, title } = resource;
  return Object.entries(expected).map(([field, value]): ReplacedValue => {
    const { secret, kind: type } = fields[field] ?? {};
    const { label = field } = params[field] ?? fields[field] ?? {};
    // The service shows no credentials, so the old credential is unknown.
    const [before, after] = secret ? [null, mask] : [row[field] ?? null, value];
    const key = `${label} of ${name} ${idOf(row)}`;
    return { kind, key, before, after, isName: field === title || type === 'instant' };
  });
}

function argumentsOf(params: Fields): readonly string[] {
  return Object.keys(params).filter((name) => params[name]?.presence === 'required');
}

function nothingRequestedError(params: Fields): CliError {
  const spellings = Object.entries<Field>(params).flatMap(([name, { label, secret }]) => {
    const flag = `--${(label ?? name).replaceAll('_', '-')}`;
    return secret ? [`${flag}-file`, `${flag}-stdin`] : [flag];
  });
  return new CliError('usage', `nothing to change: give ${spellings.slice(0, -1).join(', ')} or ${spellings.at(-1)}`);
}

type ChangedField = ReturnType<typeof changedFieldsOf>[number];

function changedFieldsOf(change: Change, undo: (before: Input) => Input = (before) => before) {
  const valuesIn = (side: unknown): Input => (isObject(side) ? side : { '': side });
  const [before, after] = [valuesIn(change.before), valuesIn(change.after)];
  const restored = undo(before);
  return Object.entries(before).map(([field, was]) => {
    const { [field]: is } = after;
    const { [field]: old } = restored;
    const isStuck = change.change === 'accepted' && was !== mask && isSame(was, is);
    const isAskable = (typeof old === 'string' && old !== '') || typeof old === 'number';
    return { field, was, is, isStuck, old: isAskable && isBegun(change) && !isStuck ? String(old) : undefined };
  });
}

function isBegun(change: Change): boolean {
  return isUnderWay(change) || change.change === 'accepted';
}

function linesOfChange(
  change: Change,
  name: string,
  fields: readonly ChangedField[],
  { params, describe, unit = '', now }: ChangeWording & { readonly now: Date },
): readonly string[] {
  const textOf = (value: unknown) => (value === null ? '-' : `${valueText(value)}${unit}`);
  const [firstField] = fields;
  if (firstField?.field === '') {
    const { was, is, old } = firstField;
    const values = `${textOf(was)} -> ${textOf(is)}${old === undefined ? '; no undo' : ''}`;
    return [changeLine(name, change, verbs.update, [isUnderWay(change) ? values : textOf(was)])];
  }
  if (!isBegun(change)) return [changeLine(name, change, verbs.update)];
  const isMade = change.action === null || change.change === 'accepted';
  const head = isMade ? name : changeWords(name, change, verbs.update);
  return fields.map(({ field, was, is, isStuck, old }) => {
    const label = params[field]?.label ?? field;
    if (isStuck) return acceptedLine(name, change, `${label} ${textOf(was)}`);
    const values = was === mask ? 'replaced' : `${textOf(was)} -> ${textOf(is)}`;
    return `${head}: ${describe?.(field, is, now) ?? `${label} ${values}`}${old === undefined ? ' (no undo)' : ''}`;
  });
}

function undoArgsOf(id: string, fields: readonly ChangedField[]): Omit<CommandLine, 'path'> | undefined {
  const values = fields.flatMap(({ field, old }) => (old === undefined ? [] : [[field, old] as const]));
  const [firstField] = values;
  if (!firstField) return undefined;
  if (firstField[0] === '') return { operands: [id, firstField[1]] };
  return { operands: [id], flags: values.flatMap(([field, old]) => flagWords(`--${field.replaceAll('_', '-')}`, old)) };
}
