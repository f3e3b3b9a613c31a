import type { Command, Confirm } from '../contract/command.ts';
import { type CommandLine, flagWords } from '../contract/command-line.ts';
import type { Field, Fields, Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, ReplacedValue } from '../contract/plan.ts';
import { listInput, type ResourceType, targetFlags } from '../contract/resource.ts';
import { isObject } from '../contract/values/json-object.ts';
import { mask } from '../contract/values/mask.ts';
import { CliError } from '../errors/cli-error.ts';
import { describeStack } from '../resources/stack.ts';
import { type Edit, edits } from './execute/edit.ts';
import { isSame } from './execute/send.ts';
import {
  acceptedLine,
  changeLine,
  changeRecord,
  changeWords,
  isUnderWay,
  undoAfter,
  valueText,
  verbs,
} from './execute/summary.ts';
import { assertAllowed, findTarget } from './resource/find.ts';
import { askedOf, placing } from './resource/params.ts';
import { idFields, idsOf } from './resource/row.ts';
import { write } from './write.ts';

interface Worded {
  /** What may be asked for: those that are required are arguments, the others flags. */
  readonly params: Fields;
  /** What a field is from now on, where its two values say less: `open until 21:59 UTC (8h)`. */
  readonly describe?: (field: string, value: unknown, now: Date) => string | undefined;
  /** Follows a value in a sentence: ` %`. */
  readonly unit?: string;
}

/** A command that gives one resource another state. `Asked` is what is typed besides the resource and where it lies. */
interface ChangeSpec<Row, Asked extends Input> extends Worded {
  readonly about?: string;
  readonly examples: readonly string[];
  readonly kind: ReplacedValue['kind'];
  /** Why it cannot be done to this one: `the active version, and only a canary has a share to set`. */
  readonly refuse?: (row: Row) => string | undefined;
  /** `question`: undefined where nothing is asked; its text is without its facts, given the stack as `shop/production`. */
  readonly confirm?: Confirm & {
    readonly question: (
      asked: Asked,
      row: Row,
    ) => { readonly text: (stack: string) => string; readonly details: readonly string[] } | undefined;
  };
  /** What the request holds besides place, id and what was asked for. */
  readonly request?: Input;
  /** Whether the row shows what was asked for; undefined where it never does. Without it: all that `shows` names. */
  readonly verify?: (row: Row, asked: Asked) => boolean | undefined;
  /** The fields of the row as they are to be. Without it: what was asked for. */
  readonly project?: (asked: Asked, now: Date) => Partial<Row>;
  /** What was before, as it would be asked for; a field that cannot be given back is left out. Without it: all texts. */
  readonly undo?: (before: Input) => Input;
}

/** One resource gets another state: noticed where it has it already, proven by its row, undone with its old values. */
export function change<Row, Asked extends Input>(
  resource: ResourceType<Row>,
  operation: Operation,
  spec: ChangeSpec<Row, Asked>,
): Command {
  const { params, examples, confirm, about = operation.about } = spec;
  return write({
    about,
    params: { ...placing(resource).params, [resource.argument]: resource.argumentField, ...params },
    positionals: [resource.argument, ...argumentsOf(params)],
    examples,
    calls: [resource.list, operation],
    record: changeRecord(idFields(resource)),
    ...(confirm && { confirm }),
    plan: async (context, input): Promise<Plan> => {
      const typed = askedOf(resource, input);
      if (Object.keys(typed).length === 0) throw nothingAsked(params);
      const { row } = await (await findTarget(context, resource, input)).read();
      assertAllowed(resource, { row, input }, spec.refuse);
      const held = row as Input;
      const asked = Object.fromEntries(Object.entries(typed).filter(([name, value]) => held[name] !== value)) as Asked;
      const shown = (of: Input) => spec.project?.(of as Asked, context.now()) ?? of;
      const replaces = replacedBy(resource, spec, row, shown(typed));
      const edit = { ...editOf(resource, operation, spec, { input, row, asked, wanted: shown(asked) }), replaces };
      const question = confirm?.question(asked, row);
      return {
        ...edits(context, [edit]),
        summarize: (changes) => {
          const fields = changes.flatMap((one) => fieldsOf(one, spec.undo));
          const command = {
            path: context.command,
            ...targetFlags(input),
            ...givenBack(String(resource.idOf(row)), fields),
          };
          const isUndone = fields.some(({ old }) => old !== undefined);
          return {
            lines: changes.flatMap((one) => linesOfChange(one, edit.name, fields, { ...spec, now: context.now() })),
            undo: undoAfter(changes, input['stack_id'], isUndone ? [command] : []),
          };
        },
        ...(question && {
          ask: {
            name: resource.titleOf(row),
            text: async () => question.text(await describeStack(context, String(input['stack_id']))),
            details: () => question.details,
          },
        }),
      };
    },
  });
}

function editOf<Row, Asked extends Input>(
  resource: ResourceType<Row>,
  operation: Operation,
  spec: ChangeSpec<Row, Asked>,
  { input, row, asked, wanted }: { input: Input; row: Row; asked: Asked; wanted: Input },
): Edit<Row | undefined> {
  const place = listInput(resource, input);
  const id = resource.idOf(row);
  const names = Object.keys(wanted);
  const isSingle = argumentsOf(spec.params).length === 1;
  // Without credentials; where one value is all that can be asked for, it stands alone.
  const valueIn = (held: Input) => {
    const values = names.map((name) => [name, resource.fields[name]?.secret ? mask : (held[name] ?? null)]);
    return isSingle ? values[0]?.[1] : Object.fromEntries(values);
  };
  const isHeld = (held: Input) => names.every((name) => held[name] === wanted[name]);
  return {
    id: idsOf(resource, row),
    name: `${resource.name} ${resource.titleOf(row)}`,
    held: row,
    read: async (read) => (await read(resource.list, place)).find((one: Row) => resource.idOf(one) === id),
    valueIn: (held) => held && valueIn(held),
    wanted: valueIn(wanted),
    isWanted: (held) => held && (spec.verify ? spec.verify(held, asked) : isHeld(held)),
    operation,
    request: { ...place, ...spec.request, ...asked, [resource.param]: id },
  };
}

function replacedBy<Row, Asked extends Input>(
  { name, fields, idOf, title }: ResourceType<Row>,
  { kind, params }: ChangeSpec<Row, Asked>,
  row: Row,
  wanted: Input,
): readonly ReplacedValue[] {
  return Object.entries(wanted).map(([field, value]) => {
    const { secret, kind: type } = fields[field] ?? {};
    const { label = field } = params[field] ?? fields[field] ?? {};
    // A credential is never shown, so it is none that can be restored.
    const [before, after] = secret ? [null, mask] : [(row as Input)[field] ?? null, value];
    const key = `${label} of ${name} ${idOf(row)}`;
    return { kind, key, before, after, isName: field === title || type === 'instant' };
  });
}

function argumentsOf(params: Fields): readonly string[] {
  return Object.keys(params).filter((name) => params[name]?.presence === 'required');
}

function nothingAsked(params: Fields): CliError {
  const flags = Object.entries<Field>(params).flatMap(([name, { label, secret }]) => {
    const flag = `--${(label ?? name).replaceAll('_', '-')}`;
    return secret ? [`${flag}-file`, `${flag}-stdin`] : [flag];
  });
  return new CliError('usage', `nothing to change: give ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`);
}

type Changed = ReturnType<typeof fieldsOf>[number];

/** The fields in the record of its change; a value that stands alone has no name. */
function fieldsOf(change: Change, undo: (before: Input) => Input = (before) => before) {
  const valuesIn = (side: unknown): Input => (isObject(side) ? side : { '': side });
  const [before, after] = [valuesIn(change.before), valuesIn(change.after)];
  const asked = undo(before);
  return Object.entries(before).map(([field, was]) => {
    const { [field]: is } = after;
    const { [field]: old } = asked;
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
  fields: readonly Changed[],
  { params, describe, unit = '', now }: Worded & { readonly now: Date },
): readonly string[] {
  const textOf = (value: unknown) => (value === null ? '-' : `${valueText(value)}${unit}`);
  const [alone] = fields;
  if (alone?.field === '') {
    const { was, is, old } = alone;
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

function givenBack(id: string, fields: readonly Changed[]): Pick<CommandLine, 'operands' | 'flags'> {
  const given = fields.flatMap(({ field, old }) => (old === undefined ? [] : [[field, old] as const]));
  const [alone] = given;
  if (alone?.[0] === '') return { operands: [id, alone[1]] };
  return { operands: [id], flags: given.flatMap(([field, old]) => flagWords(`--${field.replaceAll('_', '-')}`, old)) };
}
