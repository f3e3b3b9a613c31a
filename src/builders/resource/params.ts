import type { Field, Fields, Input } from '../../contract/field.ts';
import { type Operation, pathNames } from '../../contract/operation.ts';
import type { ResourceType } from '../../contract/resource.ts';

/** The parameters of a command on one resource: its targets, the resource, and the other params of the operation. */
export function paramsOf(resource: ResourceType, operation: Operation, request: Input = {}): Fields {
  const rest = Object.entries<Field>(operation.params).filter(
    ([name]) => name !== resource.param && !(name in request),
  );
  return { ...placing(resource).params, [resource.argument]: resource.argumentField, ...Object.fromEntries(rest) };
}

/** The parameters, arguments and reads that find the parent of a resource. */
export function placing({ list, in: owner }: ResourceType) {
  const known = pathNames(list.path).filter((name) => name !== owner?.param);
  const params: Fields = Object.fromEntries(known.map((name) => [name, list.params[name]]));
  if (!owner) return { params, positionals: [], calls: [] };
  const { argument, argumentField } = owner;
  return { params: { ...params, [argument]: argumentField }, positionals: [argument], calls: [owner.list] };
}

/** The input without targets and resource. */
export function ownArgs(resource: ResourceType, input: Input): Input {
  const around = [...pathNames(resource.list.path), resource.argument];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !around.includes(name)));
}
