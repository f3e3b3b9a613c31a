import type { Command, Confirm, Context } from '../contract/command.ts';
import { type CommandLine, flagWords, targetsOfInput } from '../contract/command-line.ts';
import { type Field, type Fields, type Input, optional } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Question, ReplacedValue } from '../contract/plan.ts';
import { listCommand, listInput, type ResourceType } from '../contract/resource.ts';
import { isObject, valueText } from '../contract/values/json.ts';
import { mask } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { readStackTitle } from '../resources/stack.ts';
import { requiredParamNames } from './custom-command.ts';
import { type Edit, planEdits } from './execute/edit.ts';
import { isSameValue } from './execute/send.ts';
import {
  acceptedLine,
  changeLine,
  changeRecord,
  changeWords,
  isUnderWay,
  undoAfter,
  verbs,
} from './execute/summary.ts';
import { assertAllowed, findTarget, onlyRowOf, readAll } from './resource/find.ts';
import { argsOf, identityOf, idFields, parentCommandSpec } from './resource/row.ts';
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
  readonly refusal?: (row: Row) => string | undefined;
  /** The word for a row without a `refusal`: `canary`. If there is only one such row, the argument may be omitted. */
  readonly impliedRow?: string;
  readonly confirm?: Confirm;
  /** Returns the question without its name; undefined for no question. `stack` returns `shop/production`. */
  readonly ask?: (requested: Requested, row: Row, stack: () => Promise<string>) => Omit<Question, 'name'> | undefined;
  /** Fixed values of the request, in addition to the target, the id and the new values. */
  readonly request?: Input;
  /**
   * Returns true if the row shows the new values, undefined if no row can. The default compares the values that the
   * change record shows, so it finds no difference between two credentials, which are masked.
   */
  readonly verify?: (row: Row, requested: Requested) => boolean | undefined;
  /** Returns the fields of the row after the change; by default they are the new values. */
  readonly predictFields?: (requested: Requested, now: Date) => Partial<Row>;
  /** Returns the old values that can be restored, as arguments. By default these are all strings and numbers. */
  readonly undoValuesOf?: (before: Input) => Input;
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
      ...parentCommandSpec(resource).params,
      [resource.argument]: impliedRow ? optional(argumentField) : argumentField,
      ...params,
    },
    positionals: [resource.argument, ...requiredParamNames(params)],
    examples,
    confirm,
    calls: [resource.list, operation],
    record: changeRecord(idFields(resource)),
    plan: async (context, input): Promise<Plan> => {
      const args = argsOf({ params }, input);
      if (Object.keys(args).length === 0) throw nothingRequestedError(params);
      const row = await findRow(context, resource, input, spec);
      assertAllowed(resource, row, input, spec.refusal?.(row));
      const differences = Object.entries(args).filter(([name, value]) => (row as Input)[name] !== value);
      const requested = Object.fromEntries(differences) as Requested;
      const predictFields = (values: Input) => spec.predictFields?.(values as Requested, context.now()) ?? values;
      const edit = editOf(resource, operation, spec, { input, row, requested, expected: predictFields(requested) });
      const replaces = replacedValuesOf(resource, spec, row as Input, predictFields(args));
      const question = spec.ask?.(requested, row, () => readStackTitle(context, String(input['stack_id'])));
      return {
        ...planEdits(context, [{ ...edit, replaces }]),
        summarize: (changes) => {
          const [result] = changes as [Change];
          const changedFields = changedFieldsOf(result, spec.undoValuesOf);
          const command = { path: context.command, ...targetsOfInput(input) };
          const undoCommands = undoCommandsOf(command, String(resource.idOf(row)), changedFields);
          return {
            lines: linesOfChange(result, edit.name, changedFields, { ...spec, now: context.now() }),
            undo: undoAfter(changes, input['stack_id'], undoCommands),
          };
        },
        ...(question && { ask: { name: resource.titleOf(row), ...question } }),
      };
    },
  });
}

type RowSpec<Row> = Pick<ChangeSpec<Row, Input>, 'impliedRow' | 'refusal'>;

async function findRow<Row>(context: Context, resource: ResourceType<Row>, input: Input, spec: RowSpec<Row>) {
  const { impliedRow: name = resource.name, refusal } = spec;
  if (input[resource.argument] !== undefined) return (await (await findTarget(context, resource, input)).read()).row;
  const allowedRows = (await readAll(context, resource, input)).filter((row) => refusal?.(row) === undefined);
  return onlyRowOf(allowedRows, { name, idOf: resource.idOf, hint: listCommand(resource, input) });
}

function editOf<Row, Requested extends Input>(
  resource: ResourceType<Row>,
  operation: Operation,
  { params, verify, request }: ChangeSpec<Row, Requested>,
  { input, row, requested, expected }: { input: Input; row: Row; requested: Requested; expected: Input },
): Edit<Row | undefined> {
  const targetInput = listInput(resource, input);
  const id = resource.idOf(row);
  const names = Object.keys(expected);
  const hasSingleArgument = requiredParamNames(params).length === 1;
  // Credentials are masked. If exactly one value is an argument, the change record holds the bare value, not an object.
  const valueIn = (rowValues: Input) => {
    const values = names.map((name) => [name, resource.fields[name]?.secret ? mask : (rowValues[name] ?? null)]);
    return hasSingleArgument ? values[0]?.[1] : Object.fromEntries(values);
  };
  return {
    id: identityOf(resource, row),
    name: `${resource.name} ${resource.titleOf(row)}`,
    stateBefore: row,
    read: async (read) => (await read(resource.list, targetInput)).find((one: Row) => resource.idOf(one) === id),
    valueIn: (observed) => observed && valueIn(observed),
    requested: valueIn(expected),
    ...(verify && { hasRequestedValue: (observed) => observed && verify(observed, requested) }),
    operation,
    request: { ...targetInput, ...request, ...requested, [resource.param]: id },
  };
}

function replacedValuesOf(resource: ResourceType, { kind, params }: ChangeWording, row: Input, expectedValues: Input) {
  const { name, fields, idOf, title } = resource;
  return Object.entries(expectedValues).map(([field, value]): ReplacedValue => {
    const { secret, kind: type } = fields[field] ?? {};
    const { label = field } = params[field] ?? fields[field] ?? {};
    // The service shows no credentials, so the old credential is unknown.
    const [before, after] = secret ? [null, mask] : [row[field] ?? null, value];
    const key = `${label} of ${name} ${idOf(row)}`;
    return { kind, key, before, after, isName: field === title || type === 'instant' };
  });
}

function nothingRequestedError(params: Fields): CliError {
  const spellings = Object.entries<Field>(params).flatMap(([name, { label, secret }]) => {
    const flag = `--${(label ?? name).replaceAll('_', '-')}`;
    return secret ? [`${flag}-file`, `${flag}-stdin`] : [flag];
  });
  return new CliError('usage', `nothing to change: give ${spellings.slice(0, -1).join(', ')} or ${spellings.at(-1)}`);
}

type ChangedField = ReturnType<typeof changedFieldsOf>[number];

function changedFieldsOf(change: Change, undoValuesOf: (before: Input) => Input = (before) => before) {
  const valuesIn = (beforeOrAfter: unknown): Input => (isObject(beforeOrAfter) ? beforeOrAfter : { '': beforeOrAfter });
  const [before, after] = [valuesIn(change.before), valuesIn(change.after)];
  const undoValues = undoValuesOf(before);
  return Object.entries(before).map(([field, was]) => {
    const [is, oldValue] = [after[field], undoValues[field]];
    const isStuck = change.change === 'accepted' && was !== mask && isSameValue(was, is);
    const isRestorable = (typeof oldValue === 'string' && oldValue !== '') || typeof oldValue === 'number';
    const old = isRestorable && hasChangeBegun(change) && !isStuck ? String(oldValue) : undefined;
    return { field, was, is, isStuck, old };
  });
}

function hasChangeBegun(change: Change): boolean {
  return isUnderWay(change) || change.change === 'accepted';
}

type WordingNow = ChangeWording & { readonly now: Date };

function linesOfChange(change: Change, name: string, fields: readonly ChangedField[], wording: WordingNow) {
  const { params, describe, unit = '', now } = wording;
  const textOf = (value: unknown) => (value === null ? '-' : `${valueText(value)}${unit}`);
  const [firstField] = fields;
  if (firstField?.field === '') {
    const { was, is, old } = firstField;
    const values = `${textOf(was)} -> ${textOf(is)}${old === undefined ? '; no undo' : ''}`;
    return [changeLine(name, change, verbs.update, [isUnderWay(change) ? values : textOf(was)])];
  }
  if (!hasChangeBegun(change)) return [changeLine(name, change, verbs.update)];
  const isChangeMade = change.action === null || change.change === 'accepted';
  const lineStart = isChangeMade ? name : changeWords(name, change, verbs.update);
  return fields.map(({ field, was, is, isStuck, old }) => {
    const label = params[field]?.label ?? field;
    if (isStuck) return acceptedLine(name, change, `${label} ${textOf(was)}`);
    const values = was === mask ? 'replaced' : `${textOf(was)} -> ${textOf(is)}`;
    return `${lineStart}: ${describe?.(field, is, now) ?? `${label} ${values}`}${old === undefined ? ' (no undo)' : ''}`;
  });
}

function undoCommandsOf(command: CommandLine, id: string, fields: readonly ChangedField[]): readonly CommandLine[] {
  const values = fields.flatMap(({ field, old }) => (old === undefined ? [] : [[field, old] as const]));
  const [firstValue] = values;
  if (!firstValue) return [];
  if (firstValue[0] === '') return [{ ...command, operands: [id, firstValue[1]] }];
  const flags = values.flatMap(([field, old]) => flagWords(`--${field.replaceAll('_', '-')}`, old));
  return [{ ...command, operands: [id], flags }];
}
