import { itemError } from '../batch/change-each.ts';
import type { Context } from '../contract/command.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { Problem } from '../problems/problem.ts';
import { TagEntry, tags } from '../resources/tag.ts';

export type Entry = RecordOf<typeof TagEntry>;
export interface Entity {
  readonly entity_type: 'server' | 'loadbalancer';
  readonly entity_id: string;
}
/** An entity with its name as it is typed: `server/3f2a…`. */
export type Named = Entity & { readonly name: string };

/** A tag entry; among several, one that failed says why. */
export const TaggedEntity = record(
  'tag entry',
  { ...TagEntry.fields, error: itemError },
  ['entity_id', 'entity_type', 'tags', 'error'],
  { plural: 'tag entries' },
);
export type TaggedEntity = RecordOf<typeof TaggedEntity>;

/** `server/a,loadbalancer/7`, each once. Throws usage. */
export function readEntities(words: string): readonly Named[] {
  return [...new Set(words.split(','))].map((word) => ({ ...readEntity(word), name: word }));
}

function readEntity(word: string): Entity {
  const [, type, id] = /^(server|loadbalancer)\/([^/\\?#%;\s]+)$/.exec(word) ?? [];
  if ((type === 'server' || type === 'loadbalancer') && id && id !== '.' && id !== '..') {
    return { entity_type: type, entity_id: id };
  }
  throw new Problem('usage', `"${word}" names no entity; write server/UID or loadbalancer/ID`);
}

export function readEntry(context: Context, { entity_type, entity_id }: Entity): Promise<Entry> {
  return context.call(tags.list, { entity_type, entity_id });
}

/** What is reported of one of several that did not go through. */
export function failedEntry(
  { entity_type, entity_id }: Entity,
  error: TaggedEntity['error'],
): Pick<TaggedEntity, 'entity_type' | 'entity_id' | 'error'> {
  return { entity_type, entity_id, error };
}
