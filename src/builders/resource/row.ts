import type { Context } from '../../contract/command.ts';
import { type Field, type Fields, group } from '../../contract/field.ts';
import type { Change } from '../../contract/plan.ts';
import type { Row } from '../../contract/record.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { original, withOriginal } from '../../contract/values/sent.ts';
import type { Details } from '../execute/summary.ts';

/** What a row of a noun is in the record of a write. */
export function rowField({ fields, name }: ResourceType): Field {
  return group(fields, `The ${name}.`);
}

/** The fields that identify one in the record of a write: its id, and its name where that is something else. */
export function idFields({ fields, id, title }: ResourceType): Fields {
  const known = (name: string): Fields => (fields[name] ? { [name]: { ...fields[name], nullable: true } } : {});
  return { ...known(id), ...known(title) };
}

export function idsOf<Item>({ id, title, idOf, titleOf }: ResourceType<Item>, row: Item): Row {
  return { [id]: idOf(row), [title]: titleOf(row) };
}

/** The row as a record of a write may show it: credentials only where they were asked for. */
export function withoutSecrets<Item>(
  { reveal }: Context,
  { fields }: Pick<ResourceType<Item>, 'fields'>,
  row: Item,
): Row {
  // Also what is not listed: a field that the service sends under another name.
  const withoutThem = (held: unknown): Row => {
    const members = Object.entries(Object.getOwnPropertyDescriptors(held));
    const shown = members.filter(([name]) => name !== 'toJSON' && (reveal || !fields[name]?.secret));
    return Object.defineProperties({}, Object.fromEntries(shown));
  };
  const sent = original(row);
  return sent === row ? withoutThem(row) : withOriginal(withoutThem(row), withoutThem(sent));
}

/** Its id, where that is not its name, and its facts: `5, 203.0.113.7, closed`. */
export function rowDetails<Item>(resource: ResourceType<Item>, context: Context, side: 'before' | 'after'): Details {
  return (change: Change) => {
    const row = change[side] as Item | null;
    if (row === null) return [];
    const id = resource.id === resource.title ? [] : [String(resource.idOf(row))];
    return [...id, ...resource.summary(row, context.now())];
  };
}
