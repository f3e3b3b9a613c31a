import { customCommand } from '../../builders/custom-command.ts';
import { changeEach, itemErrorField } from '../../builders/execute/change-each.ts';
import type { Presentation } from '../../contract/command.ts';
import { optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { sole } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/text.ts';
import { servers } from '../../resources/server.ts';
import { Tag, TagEntry, tags } from '../../resources/tag.ts';
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
export const tagListCommand = customCommand({
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
