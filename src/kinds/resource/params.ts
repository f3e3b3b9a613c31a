import type { Field, Fields, Input } from '../../contract/field.ts';
import type { Noun } from '../../contract/noun.ts';
import { type Operation, pathNames } from '../../contract/operation.ts';

/** What a command on one resource takes: its place, the resource, and what else the operation takes. */
export function paramsOf(noun: Noun, operation: Operation, request: Input = {}): Fields {
  const rest = Object.entries<Field>(operation.params).filter(([name]) => name !== noun.param && !(name in request));
  return { ...placeParams(noun), [noun.argument]: noun.argumentField, ...Object.fromEntries(rest) };
}

/** Where its resources lie, as parameters. */
export function placeParams({ list, in: owner }: Noun): Fields {
  const known = pathNames(list.path).filter((name) => name !== owner?.param);
  const params = Object.fromEntries(known.map((name) => [name, list.params[name]]));
  return { ...params, ...(owner && { [owner.argument]: owner.argumentField }) };
}

/** Those of them that are arguments: what its resources lie in. */
export function placeArguments({ in: owner }: Noun): readonly string[] {
  return owner ? [owner.argument] : [];
}

/** What is read to find it. */
export function placeLists({ in: owner }: Noun): readonly Operation[] {
  return owner ? [owner.list] : [];
}

/** What was typed besides place and resource. */
export function askedOf(noun: Noun, input: Input): Input {
  const around = [...pathNames(noun.list.path), noun.argument];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !around.includes(name)));
}
