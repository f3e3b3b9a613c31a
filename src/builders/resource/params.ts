import type { Field, Fields, Input } from '../../contract/field.ts';
import { type Operation, pathNames } from '../../contract/operation.ts';
import type { ResourceType } from '../../contract/resource.ts';

/** What a command on one resource takes: its place, the resource, and what else the operation takes. */
export function paramsOf(resource: ResourceType, operation: Operation, request: Input = {}): Fields {
  const rest = Object.entries<Field>(operation.params).filter(
    ([name]) => name !== resource.param && !(name in request),
  );
  return { ...placing(resource).params, [resource.argument]: resource.argumentField, ...Object.fromEntries(rest) };
}

/** What a command takes, and reads, to find where resources lie. */
export function placing({ list, in: owner }: ResourceType) {
  const known = pathNames(list.path).filter((name) => name !== owner?.param);
  const params: Fields = Object.fromEntries(known.map((name) => [name, list.params[name]]));
  if (!owner) return { params, positionals: [], calls: [] };
  const { argument, argumentField } = owner;
  return { params: { ...params, [argument]: argumentField }, positionals: [argument], calls: [owner.list] };
}

/** What was typed besides place and resource. */
export function askedOf(resource: ResourceType, input: Input): Input {
  const around = [...pathNames(resource.list.path), resource.argument];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !around.includes(name)));
}
