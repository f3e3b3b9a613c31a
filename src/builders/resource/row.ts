import type { Context } from '../../contract/command.ts';
import { type Field, type Fields, group, type Input } from '../../contract/field.ts';
import { type Operation, pathNames } from '../../contract/operation.ts';
import type { Change } from '../../contract/plan.ts';
import type { Row } from '../../contract/record.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { original, withOriginal } from '../../contract/values/json.ts';
import type { Details } from '../execute/summary.ts';

/** The field that holds the resource in a change record. */
export function rowField({ fields, name }: ResourceType): Field {
  return group(fields, `The ${name}.`);
}

/** The fields that identify a resource in a change record: id and name. */
export function idFields({ fields, id, title }: ResourceType): Fields {
  const known = (name: string): Fields => (fields[name] ? { [name]: { ...fields[name], nullable: true } } : {});
  return { ...known(id), ...known(title) };
}

export function idsOf<Item>({ id, title, idOf, titleOf }: ResourceType<Item>, row: Item): Row {
  return { [id]: idOf(row), [title]: titleOf(row) };
}

/** The row for a change record; credentials only with --reveal. */
export function withoutSecrets({ reveal }: Context, { fields }: Pick<ResourceType, 'fields'>, row: unknown): Row {
  // Includes non-enumerable members: fields that the service sends under another name.
  const withoutThem = (values: unknown): Row => {
    const members = Object.entries(Object.getOwnPropertyDescriptors(values));
    const displayed = members.filter(([name]) => name !== 'toJSON' && (reveal || !fields[name]?.secret));
    return Object.defineProperties({}, Object.fromEntries(displayed));
  };
  const sent = original(row);
  return sent === row ? withoutThem(row) : withOriginal(withoutThem(row), withoutThem(sent));
}

/** The id and the properties of a row: `5, 203.0.113.7, closed`. */
export function rowDetails<Item>(resource: ResourceType<Item>, context: Context, side: 'before' | 'after'): Details {
  return (change: Change) => {
    const row = change[side] as Item | null;
    if (row === null) return [];
    const id = resource.id === resource.title ? [] : [String(resource.idOf(row))];
    return [...id, ...resource.summary(row, context.now())];
  };
}

/** The parameters of a command on one resource: its targets, the resource, and the other params of the operation. */
export function paramsOf(resource: ResourceType, operation: Operation, request: Input = {}): Fields {
  const rest = Object.entries<Field>(operation.params).filter(
    ([name]) => name !== resource.param && !(name in request),
  );
  return { ...parentParts(resource).params, [resource.argument]: resource.argumentField, ...Object.fromEntries(rest) };
}

/** The parameters, arguments and reads that find the parent of a resource. */
export function parentParts({ list, in: owner }: ResourceType) {
  const known = pathNames(list.path).filter((name) => name !== owner?.param);
  const params: Fields = Object.fromEntries(known.map((name) => [name, list.params[name]]));
  if (!owner) return { params, positionals: [], calls: [] };
  const { argument, argumentField } = owner;
  return { params: { ...params, [argument]: argumentField }, positionals: [argument], calls: [owner.list] };
}

/** The members of the input that are parameters of the operation. */
export function argsOf({ params }: Operation, input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name in params));
}

/** The input without targets and resource. */
export function ownArgs(resource: ResourceType, input: Input): Input {
  const around = [...pathNames(resource.list.path), resource.argument];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !around.includes(name)));
}
