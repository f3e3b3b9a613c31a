import type { Context } from '../../contract/command.ts';
import { type Field, type Fields, group, type Input, nullable } from '../../contract/field.ts';
import { type Operation, pathParamNames } from '../../contract/operation.ts';
import type { Change } from '../../contract/plan.ts';
import type { Row } from '../../contract/record.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { originalOf, withOriginal } from '../../contract/values/json.ts';
import type { DescribeChange } from '../execute/summary.ts';

export function rowField({ fields, name }: ResourceType): Field {
  return group(fields, `The ${name}.`);
}

/** Returns the fields that identify a resource in a change record: its id and its name. */
export function idFields({ fields, id, title }: ResourceType): Fields {
  return Object.fromEntries([id, title].map((name) => [name, nullable(fields[name] as Field)]));
}

export function identityOf<Item>({ id, title, idOf, titleOf }: ResourceType<Item>, row: Item): Row {
  return { [id]: idOf(row), [title]: titleOf(row) };
}

/** Returns the row for a change record. It contains credentials only with --reveal. */
export function withoutSecrets({ reveal }: Context, { fields }: Pick<ResourceType, 'fields'>, row: unknown): Row {
  // Non-enumerable members are copied too: they are fields that the service sends under another name.
  const withoutThem = (values: unknown): Row => {
    const members = Object.entries(Object.getOwnPropertyDescriptors(values));
    const shownMembers = members.filter(([name]) => name !== 'toJSON' && (reveal || !fields[name]?.secret));
    return Object.defineProperties({}, Object.fromEntries(shownMembers));
  };
  const sentRow = originalOf(row);
  return sentRow === row ? withoutThem(row) : withOriginal(withoutThem(row), withoutThem(sentRow));
}

/** Returns a function that describes the row after a change, or before a deletion: `5`, `203.0.113.7`, `closed`. */
export function rowDetails<Item>(resource: ResourceType<Item>, context: Context): DescribeChange {
  return ({ before, after }: Change) => {
    const row = (after ?? before) as Item | null;
    if (row === null) return [];
    const idTexts = resource.id === resource.title ? [] : [String(resource.idOf(row))];
    return [...idTexts, ...resource.summary(row, context.now())];
  };
}

/** Returns the parameters of a command on one resource: its targets, the resource and other params of the operation. */
export function paramsOf(resource: ResourceType, operation: Operation, request: Input = {}): Fields {
  const { param, argument, argumentField } = resource;
  const others = Object.entries<Field>(operation.params).filter(([name]) => name !== param && !(name in request));
  return { ...parentCommandSpec(resource).params, [argument]: argumentField, ...Object.fromEntries(others) };
}

/** Returns the parameters that select the list of a resource, and the arguments and calls that find its parent. */
export function parentCommandSpec({ list, in: parent }: ResourceType) {
  const targetNames = pathParamNames(list.path).filter((name) => name !== parent?.param);
  const params: Fields = Object.fromEntries(targetNames.map((name) => [name, list.params[name]]));
  if (!parent) return { params, positionals: [], calls: [] };
  const { argument, argumentField } = parent;
  return { params: { ...params, [argument]: argumentField }, positionals: [argument], calls: [parent.list] };
}

export function argsOf({ params }: Pick<Operation, 'params'>, input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name in params));
}
