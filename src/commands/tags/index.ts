import { customCommand } from '../../builders/custom-command.ts';
import { changeEach, itemErrorField } from '../../builders/execute/change-each.ts';
import type { Menu, Presentation } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { Question } from '../../contract/plan.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { sole } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { servers } from '../../resources/server.ts';
import { Tag, TagEntry, tags } from '../../resources/tag.ts';
import {
  createPatchStrategy,
  createReplaceStrategy,
  createTagCommand,
  missingFrom,
  type Tagging,
  tagsText,
} from './change.ts';
import { entityParams, type NamedEntity, readEntities, readTagEntry } from './entity.ts';

const entityField = text('Server or load balancer, as it was named.');
/** A tag entry. In a list each entry also has the name of its entity, and an error if it could not be read. */
const ListedEntry = record(
  'tag entry',
  { entity: entityField, ...TagEntry.fields, error: itemErrorField },
  ['entity_id', 'entity_type', 'tags', 'error'],
  { plural: 'tag entries' },
);
type ListedEntry = Partial<RecordOf<typeof ListedEntry>>;

const tagFields = { entity: entityField, ...Tag.fields };
const TagOfEntity = record('tag', tagFields, ['entity', 'value', 'reserved']);
const TagWithoutEntity = record('tag', tagFields, ['value', 'reserved']);

const params = {
  ...entityParams,
  entity: optional({
    ...entityParams.entity,
    about: "Entity: server/NAME, server/UID, 'server/web-*' (default: all) or loadbalancer/ID; commas for several.",
  }),
};

/** `tags list`: the entry of one entity, or a list for several, with an error for each that could not be read. */
const listCommand = customCommand({
  moreEffects: [],
  about: 'List the tags of servers and load balancers.',
  params,
  positionals: ['entity'],
  examples: [
    'stackops tags list -s shop',
    'stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    'stackops tags list loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    "stackops tags list 'server/shop-*' -s shop",
  ],
  calls: [servers.list, tags.list],
  output: { kind: 'rows', reply: sole(ListedEntry), table: TagOfEntity },
  isRead: true,
  run: async (context, { entity = 'server/*' }): Promise<ListedEntry | readonly ListedEntry[]> => {
    const entities = await readEntities(context, entity);
    const [only, ...more] = entities;
    if (only && more.length === 0 && !isPattern(entity)) return readTagEntry(context, only);
    return changeEach<NamedEntity, ListedEntry>({ keepGoing: true }, entities, {
      nameOf: ({ name }) => name,
      changeItem: async (one) => ({ entity: one.name, ...(await readTagEntry(context, one)), error: null }),
      unfinishedRow: ({ name, entity_type, entity_id }, error) => ({ entity: name, entity_type, entity_id, error }),
    });
  },
  present: (result): Presentation => {
    const rows = [result].flat().flatMap((entry) => {
      const { entity = `${entry.entity_type}/${entry.entity_id}`, tags: found } = entry;
      return (found ?? []).map((tag) => ({ entity, ...tag }));
    });
    return { kind: 'table', record: Array.isArray(result) ? TagOfEntity : TagWithoutEntity, rows, empty: 'No tags.' };
  },
});

const tagField = text('Tag.');
const knownTagField = text('Tag.', { nameKind: 'tag' });
const reservedLossConfirm = {
  confirm: { level: 'yes', act: 'Remove reserved tags of', when: 'before removing a reserved tag' },
  ask: reservedQuestion,
} as const;

export const tagCommands: Menu = {
  'tags list': listCommand,
  'tags set': createTagCommand({
    about: 'Replace the tags of servers and load balancers.',
    params: { tags: many(knownTagField, 'The tags to set, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: [
      'stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 web eu',
      'stackops tags set server/shop-web-1 web eu -s shop',
    ],
    writeOperations: [tags.replace, tags.patch],
    ...reservedLossConfirm,
    strategyFor: ({ tags: requested, include_reserved }) => createReplaceStrategy(requested, include_reserved),
  }),
  'tags patch': createTagCommand({
    about: 'Delete tags, then add tags.',
    params: {
      add: optional(many(tagField, 'Tags to add, separated by commas.', { placeholder: 'tags' })),
      delete: optional(many(knownTagField, 'Tags to delete, separated by commas.', { placeholder: 'tags' })),
    },
    examples: ['stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu,web --delete old'],
    writeOperations: [tags.patch],
    ...reservedLossConfirm,
    strategyFor: (patch) => {
      if (patch.add?.length || patch.delete?.length) return createPatchStrategy(patch);
      throw new CliError('usage', 'nothing to change: give --add, --delete or both');
    },
  }),
  'tags add': createTagCommand({
    about: 'Add tags to servers and load balancers.',
    params: { tags: many(tagField, 'Tags to add, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: ['stackops tags add server/c1a7d3e95b2f4860a1b2c3d4e5f60718 eu web'],
    writeOperations: [tags.patch],
    strategyFor: ({ tags: tagsToAdd }) => createPatchStrategy({ add: checkedTags(tagsToAdd) }),
  }),
  'tags remove': createTagCommand({
    about: 'Remove tags from servers and load balancers.',
    params: { tags: many(knownTagField, 'Tags to remove, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: ['stackops tags remove server/c1a7d3e95b2f4860a1b2c3d4e5f60718 old'],
    writeOperations: [tags.patch],
    ...reservedLossConfirm,
    strategyFor: ({ tags: tagsToRemove }) => createPatchStrategy({ delete: checkedTags(tagsToRemove) }),
  }),
  'tags clear': createTagCommand({
    about: 'Remove all tags of servers and load balancers.',
    params: {},
    examples: ['stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301'],
    writeOperations: [tags.clear, tags.patch],
    confirm: { level: 'typed', act: 'Remove all tags of' },
    ask: clearQuestion,
    strategyFor: ({ include_reserved }) => createReplaceStrategy([], include_reserved),
  }),
};

function checkedTags(words: readonly string[]): readonly string[] {
  // Several entities are one argument with commas. A second argument is a tag, so an entity there is a mistake.
  const entity = words.find((one) => /^(?:server|loadbalancer)\//.test(one));
  if (entity === undefined) return words;
  throw new CliError('usage', `"${entity}" is not a tag: separate several servers and load balancers with commas`);
}

function reservedQuestion(taggings: readonly Tagging[]): Question | undefined {
  const losses = taggings.map(({ name, reserved, after }) => ({ name, lost: missingFrom(after, reserved) }));
  const taggingsWithLoss = losses.filter(({ lost }) => lost.length > 0);
  if (taggingsWithLoss.length === 0) return undefined;
  return {
    name: taggingsWithLoss.map(({ name }) => name).join(','),
    details: () => taggingsWithLoss.map(({ lost }) => `${lost.join(', ')}; no undo`),
  };
}

function clearQuestion(taggings: readonly Tagging[]): Question {
  return {
    name: taggings.map(({ name }) => name).join(','),
    details: () =>
      taggings.map(({ name, before, after }) => {
        const removedText = tagsText(missingFrom(after, before));
        return taggings.length === 1 ? removedText : `${name}: ${removedText}`;
      }),
  };
}
