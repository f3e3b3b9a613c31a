import { type Menu, script } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import { many, optional, text } from '../contract/field.ts';
import { sole } from '../contract/reply.ts';
import { Problem } from '../problems/problem.ts';
import { tags, tagsOf } from '../resources/tag.ts';
import { backToBefore, changeTags, presentTagged, type TaggedOrSeveral } from './tag-change.ts';
import { type Entity, readEntities, readEntry, TaggedEntity } from './tag-entity.ts';
import { listTags, presentList, TagOfEntity } from './tag-list.ts';

const entity = text('`server/<uid>` or `loadbalancer/<id>`; several with commas.', {
  label: 'ENTITY',
  names: 'entity',
});
const entry = sole(TaggedEntity);

const list = script({
  about: 'List the tags of servers and load balancers.',
  params: { entity },
  positionals: ['entity'],
  examples: [
    'stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    'stackops tags list loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
  ],
  calls: [tags.list],
  reply: entry,
  table: TagOfEntity,
  run: (context, input) => listTags(context, readEntities(input.entity)),
  present: (found) => presentList(found),
});

const set = script({
  about: 'Replace all tags of servers and load balancers.',
  params: { entity, tags: many(text('Tag.', { names: 'tag' }), 'Tags they shall have.', { label: 'TAG' }) },
  positionals: ['entity', 'tags'],
  examples: ['stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 web eu'],
  calls: [tags.list, tags.replace],
  reply: entry,
  run: (context, input): Promise<TaggedOrSeveral> => {
    const wanted = input.tags.map(checkTag);
    return changeTags(context, readEntities(input.entity), {
      after: () => wanted,
      write: (at) => context.call(tags.replace, { ...at, tags: wanted }),
      undo: backToBefore,
    });
  },
  present: (found) => presentTagged(found),
});

const patch = script({
  about: 'Delete and add tags; deletions come first.',
  params: {
    entity,
    add: optional(many(text('Tag.'), 'Tags to add, with commas.', { placeholder: 'tags' })),
    delete: optional(
      many(text('Tag.', { names: 'tag' }), 'Tags to delete, with commas; one that is not there is ignored.', {
        placeholder: 'tags',
      }),
    ),
  },
  positionals: ['entity'],
  examples: ['stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu,web --delete old'],
  calls: [tags.list, tags.patch],
  reply: entry,
  run: (context, input): Promise<TaggedOrSeveral> => {
    const [added, deleted] = [(input.add ?? []).map(checkTag), (input.delete ?? []).map(checkTag)];
    const operations = [
      { op: 'delete' as const, tags: deleted },
      { op: 'add' as const, tags: added },
    ].filter((operation) => operation.tags.length > 0);
    if (operations.length === 0) throw new Problem('usage', 'nothing to do: give --add, --delete, or both');
    return changeTags(context, readEntities(input.entity), {
      after: (before) => [...before.filter((tag) => !deleted.includes(tag)), ...added],
      write: (at) => context.call(tags.patch, { ...at, operations }),
      undo: (name, { before, after }) => ({
        path: 'tags patch',
        operands: [name],
        flags: [...tagsFlag('--add', missingFrom(after, before)), ...tagsFlag('--delete', missingFrom(before, after))],
      }),
    });
  },
  present: (found) => presentTagged(found),
});

const clear = script({
  about: 'Remove all tags of servers and load balancers.',
  params: { entity },
  positionals: ['entity'],
  examples: ['stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301'],
  calls: [tags.list, tags.clear],
  reply: entry,
  confirm: {
    level: 'typed',
    act: 'Remove all tags of',
    target: async (context, input) => {
      const entities = readEntities(input.entity);
      const facts: string[] = [];
      for (const at of entities) {
        const tagged = tagsOf(await readEntry(context, at)).join(', ') || 'no tags';
        facts.push(entities.length === 1 ? tagged : `${at.name}: ${tagged}`);
      }
      return { name: entities.map(({ name }) => name).join(','), facts };
    },
  },
  run: (context, input): Promise<TaggedOrSeveral> =>
    changeTags(context, readEntities(input.entity), {
      after: () => [],
      write: (at: Entity) => context.call(tags.clear, at),
      undo: backToBefore,
    }),
  present: (found) => presentTagged(found),
});

export const tagStories = {
  'tags list': list,
  'tags set': set,
  'tags patch': patch,
  'tags clear': clear,
} satisfies Menu;

function checkTag(tag: string): string {
  if (tag.trim() !== '') return tag;
  throw new Problem('usage', 'a tag must not be empty');
}

function missingFrom(there: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((tag) => !there.includes(tag));
}

function tagsFlag(flag: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : flagWords(flag, values.join(','));
}
