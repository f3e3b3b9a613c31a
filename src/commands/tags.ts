import { type Menu, type Presentation, script } from '../contract/command.ts';
import { many, optional, text } from '../contract/field.ts';
import type { RecordOf } from '../contract/record.ts';
import { sole } from '../contract/reply.ts';
import { Problem } from '../problems/problem.ts';
import { Tag, TagEntry, tags } from '../resources/tag.ts';

type Entry = RecordOf<typeof TagEntry>;
interface Entity {
  readonly entity_type: 'server' | 'loadbalancer';
  readonly entity_id: string;
}

const entity = text('`server/<uid>` or `loadbalancer/<id>`.', { label: 'ENTITY' });
const entry = sole(TagEntry);

const list = script({
  about: 'List the tags of a server or load balancer.',
  params: { entity },
  positionals: ['entity'],
  examples: ['stackops tags list server/3f2a0c5be1d94786a0b1c2d3e4f50617'],
  calls: [tags.list],
  reply: entry,
  run: (context, input) => context.call(tags.list, readEntity(input.entity)),
  present: (found) => ({ kind: 'table', record: Tag, rows: rowsOf(found), empty: 'No tags.' }),
});

const set = script({
  about: 'Replace all tags of a server or load balancer.',
  params: { entity, tags: many(text('Tag.'), 'Tags it shall have.', { label: 'TAG' }) },
  positionals: ['entity', 'tags'],
  examples: ['stackops tags set server/3f2a0c5be1d94786a0b1c2d3e4f50617 web eu'],
  calls: [tags.replace],
  reply: entry,
  run: (context, input) => context.call(tags.replace, { ...readEntity(input.entity), tags: input.tags.map(checkTag) }),
  present: (found, input) => presentEntry(found, input),
});

const patch = script({
  about: 'Delete and add tags; deletions come first.',
  params: {
    entity,
    add: optional(many(text('Tag.'), 'Tags to add, with commas.')),
    delete: optional(many(text('Tag.'), 'Tags to delete, with commas; one that is not there is ignored.')),
  },
  positionals: ['entity'],
  examples: ['stackops tags patch server/3f2a0c5be1d94786a0b1c2d3e4f50617 --add eu,web --delete old'],
  calls: [tags.patch],
  reply: entry,
  run: (context, input) => {
    const operations = [
      { op: 'delete' as const, tags: (input.delete ?? []).map(checkTag) },
      { op: 'add' as const, tags: (input.add ?? []).map(checkTag) },
    ].filter((operation) => operation.tags.length > 0);
    if (operations.length === 0) throw new Problem('usage', 'nothing to do: give --add, --delete, or both');
    return context.call(tags.patch, { ...readEntity(input.entity), operations });
  },
  present: (found, input) => presentEntry(found, input),
});

const clear = script({
  about: 'Remove all tags of a server or load balancer.',
  params: { entity },
  positionals: ['entity'],
  examples: ['stackops tags clear loadbalancer/7 --confirm loadbalancer/7'],
  calls: [tags.list, tags.clear],
  reply: entry,
  confirm: {
    level: 'typed',
    act: 'Remove all tags of',
    target: async (context, input) => {
      const found = rowsOf(await context.call(tags.list, readEntity(input.entity)));
      return {
        name: input.entity,
        facts: [found.length === 0 ? 'no tags' : found.map(({ value }) => value).join(', ')],
      };
    },
  },
  run: (context, input) => context.call(tags.clear, readEntity(input.entity)),
  present: (found, input) => presentEntry(found, input),
});

export const tagStories = {
  'tags list': list,
  'tags set': set,
  'tags patch': patch,
  'tags clear': clear,
} satisfies Menu;

function readEntity(word: string): Entity {
  const [, type, id] = /^(server|loadbalancer)\/([^/\\?#%;\s]+)$/.exec(word) ?? [];
  if ((type === 'server' || type === 'loadbalancer') && id && id !== '.' && id !== '..') {
    return { entity_type: type, entity_id: id };
  }
  throw new Problem('usage', `"${word}" names no entity; write server/UID or loadbalancer/ID`);
}

function checkTag(tag: string): string {
  if (tag.trim() !== '') return tag;
  throw new Problem('usage', 'a tag must not be empty');
}

/** Some services send tags as plain strings. */
function rowsOf({ tags: found }: Entry): readonly { readonly value: string }[] {
  return (found ?? []).map((tag) => (typeof tag === 'string' ? { value: tag } : tag));
}

function presentEntry(found: Entry, input: { readonly entity: string }): Presentation {
  const values = rowsOf(found).map(({ value }) => value);
  return {
    kind: 'done',
    lines: [`${input.entity} ${values.length === 0 ? 'has no tags' : `is tagged ${values.join(', ')}`}`],
  };
}
