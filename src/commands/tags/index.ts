import type { Context, Menu, Target } from '../../contract/command.ts';
import { flagWords } from '../../contract/command-line.ts';
import { flag, many, optional, text } from '../../contract/field.ts';
import { sole } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { tags, tagsOf } from '../../resources/tag.ts';
import { backToBefore, changeTags, missingFrom, presentTagged, type TaggedOrSeveral, type TagWork } from './change.ts';
import { readEntities, readEntry, reservedOf, TaggedEntity } from './entity.ts';
import { listTags, presentList, TagOfEntity } from './list.ts';

const entity = text('`server/<uid or name>` or `loadbalancer/<id>`; several with commas.', {
  label: 'ENTITY',
  names: 'entity',
  commas: true,
});
const entry = sole(TaggedEntity);

const list = script({
  about: 'List the tags of servers and load balancers.',
  params: { entity, stack_id: optional(inStack) },
  positionals: ['entity'],
  examples: [
    'stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    'stackops tags list loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
  ],
  calls: [servers.list, tags.list],
  reply: entry,
  table: TagOfEntity,
  run: async (context, input) => listTags(context, await readEntities(context, input.entity)),
  present: (found) => presentList(found),
});

const include_reserved = optional(flag('Remove reserved tags too; asks first, and nothing makes them reserved again.'));

const set = script({
  about: 'Replace the tags of servers and load balancers; reserved ones stay.',
  params: {
    entity,
    stack_id: optional(inStack),
    tags: many(text('Tag.', { names: 'tag' }), 'Tags they shall have.', { label: 'TAG' }),
    include_reserved,
  },
  positionals: ['entity', 'tags'],
  examples: [
    'stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 web eu',
    'stackops tags set server/shop-web-1 web eu -s shop',
  ],
  calls: [servers.list, tags.list, tags.replace, tags.patch],
  reply: entry,
  confirm: {
    level: 'yes',
    act: 'Remove reserved tags of',
    when: 'before it removes a reserved tag',
    target: (context, input) => describeLoss(context, input, () => input.tags),
  },
  run: async (context, input): Promise<TaggedOrSeveral> => {
    const wanted = input.tags.map(checkTag);
    return changeTags(context, await readEntities(context, input.entity), replacing(context, wanted, input));
  },
  present: (found) => presentTagged(found),
});

const patch = script({
  about: 'Delete and add tags; deletions come first.',
  params: {
    entity,
    stack_id: optional(inStack),
    add: optional(many(text('Tag.'), 'Tags to add, with commas.', { placeholder: 'tags' })),
    delete: optional(
      many(text('Tag.', { names: 'tag' }), 'Tags to delete, with commas; one that is not there is ignored.', {
        placeholder: 'tags',
      }),
    ),
    include_reserved,
  },
  positionals: ['entity'],
  examples: ['stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu,web --delete old'],
  calls: [servers.list, tags.list, tags.patch],
  reply: entry,
  confirm: {
    level: 'yes',
    act: 'Remove reserved tags of',
    when: 'before it removes a reserved tag',
    target: (context, input) => describeLoss(context, input, (before) => afterPatch(before, input)),
  },
  run: async (context, input): Promise<TaggedOrSeveral> => {
    const [added, deleted] = [(input.add ?? []).map(checkTag), (input.delete ?? []).map(checkTag)];
    if (added.length + deleted.length === 0) throw new Problem('usage', 'nothing to do: give --add, --delete, or both');
    return changeTags(context, await readEntities(context, input.entity), {
      after: ({ before, reserved }) => {
        const after = afterPatch(before, input);
        const lost = missingFrom(after, reserved);
        if (lost.length > 0 && !input.include_reserved) throw reservedProblem(lost);
        return after;
      },
      write: (at) => context.call(tags.patch, { ...at, operations: operationsOf(added, deleted) }),
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
  about: 'Remove all tags of servers and load balancers; reserved ones stay.',
  params: { entity, stack_id: optional(inStack), include_reserved },
  positionals: ['entity'],
  examples: ['stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301'],
  calls: [servers.list, tags.list, tags.clear, tags.patch],
  reply: entry,
  confirm: { level: 'typed', act: 'Remove all tags of', target: describeAll },
  run: async (context, input): Promise<TaggedOrSeveral> =>
    changeTags(context, await readEntities(context, input.entity), replacing(context, [], input)),
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

interface TagWords {
  readonly entity: string;
  readonly include_reserved?: boolean;
}

/** To be replaced or cleared would make reserved tags ordinary ones, so that the others are patched around them. */
function replacing(context: Context, wanted: readonly string[], { include_reserved }: Partial<TagWords>): TagWork {
  return {
    after: ({ reserved }) => (include_reserved ? wanted : [...reserved, ...wanted]),
    write: (at, { before, after, reserved }) => {
      if (reserved.length > 0 && !include_reserved) {
        const operations = operationsOf(missingFrom(before, after), missingFrom(after, before));
        return context.call(tags.patch, { ...at, operations });
      }
      return wanted.length === 0 ? context.call(tags.clear, at) : context.call(tags.replace, { ...at, tags: wanted });
    },
    undo: backToBefore,
  };
}

function operationsOf(added: readonly string[], deleted: readonly string[]) {
  const operations = [
    { op: 'delete' as const, tags: deleted },
    { op: 'add' as const, tags: added },
  ];
  return operations.filter((operation) => operation.tags.length > 0);
}

function afterPatch(
  before: readonly string[],
  { add = [], delete: deleted = [] }: { readonly add?: readonly string[]; readonly delete?: readonly string[] },
): readonly string[] {
  return [...before.filter((tag) => !deleted.includes(tag)), ...add];
}

function reservedProblem(lost: readonly string[]): Problem {
  const which = lost.length > 1 ? `${lost.join(', ')} are` : `${lost[0]} is`;
  return new Problem('rejected', `${which} reserved; nothing was changed`, { retry: { with: ['--include-reserved'] } });
}

/** What a question says before reserved tags go; undefined where none does. */
async function describeLoss(
  context: Context,
  { entity: words, include_reserved }: TagWords,
  afterOf: (before: readonly string[]) => readonly string[],
): Promise<Target | undefined> {
  if (!include_reserved) return undefined;
  const losses: { readonly name: string; readonly lost: readonly string[] }[] = [];
  for (const at of await readEntities(context, words)) {
    const found = await readEntry(context, at);
    losses.push({ name: at.name, lost: missingFrom(afterOf(tagsOf(found)), reservedOf(found)) });
  }
  const real = losses.filter(({ lost }) => lost.length > 0);
  if (real.length === 0) return undefined;
  return { name: real.map(({ name }) => name).join(','), facts: real.map(({ lost }) => `${lost.join(', ')}; no undo`) };
}

async function describeAll(context: Context, { entity: words, include_reserved }: TagWords): Promise<Target> {
  const entities = await readEntities(context, words);
  const facts: string[] = [];
  for (const at of entities) {
    const found = await readEntry(context, at);
    const going = include_reserved ? tagsOf(found) : missingFrom(reservedOf(found), tagsOf(found));
    const tagged = going.join(', ') || 'no tags';
    facts.push(entities.length === 1 ? tagged : `${at.name}: ${tagged}`);
  }
  return { name: entities.map(({ entity_type, entity_id }) => `${entity_type}/${entity_id}`).join(','), facts };
}

function tagsFlag(flag: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : flagWords(flag, values.join(','));
}
