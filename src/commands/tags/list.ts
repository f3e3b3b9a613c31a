import type { Presentation } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { sole } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/pattern.ts';
import { changeEach, itemError } from '../../kinds/perform/change-each.ts';
import { script } from '../../kinds/script.ts';
import { servers } from '../../resources/server.ts';
import { Tag, TagEntry, tags } from '../../resources/tag.ts';
import { entityParams, type NamedEntity, readEntities, readEntry } from './entity.ts';

const entity = text('Server or load balancer, as it was named.');
/** A tag entry; of several, each has its name, and one that could not be read has an error. */
const ListedEntry = record(
  'tag entry',
  { entity, ...TagEntry.fields, error: itemError },
  ['entity_id', 'entity_type', 'tags', 'error'],
  { plural: 'tag entries' },
);
type Listed = Partial<RecordOf<typeof ListedEntry>>;

const fields = { entity, ...Tag.fields };
/** A tag with its entity, for several entities. */
const TagOfEntity = record('tag', fields, ['entity', 'value', 'reserved']);
/** A tag of a single entity. */
const OwnTag = record('tag', fields, ['value', 'reserved']);

const params = {
  ...entityParams,
  entity: {
    ...entityParams.entity,
    about: "Entity: server/NAME, server/UID, 'server/web-*' or loadbalancer/ID; commas for several.",
  },
};

/** The entry of one entity, or a list for several. One that cannot be read does not stop the others. */
export const listTags = script({
  about: 'List the tags of servers and load balancers.',
  params,
  positionals: ['entity'],
  examples: [
    'stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    'stackops tags list loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718',
    "stackops tags list 'server/shop-*' -s shop",
  ],
  calls: [servers.list, tags.list],
  output: { kind: 'rows', reply: sole(ListedEntry), table: TagOfEntity },
  isRead: true,
  run: async (context, input): Promise<Listed | readonly Listed[]> => {
    const entities = await readEntities(context, input.entity);
    const [only, ...more] = entities;
    if (only && more.length === 0 && !isPattern(input.entity)) return readEntry(context, only);
    return changeEach<NamedEntity, Listed>({ keepGoing: true }, entities, {
      nameOf: ({ name }) => name,
      act: async (one) => ({ entity: one.name, ...(await readEntry(context, one)), error: null }),
      undone: ({ name, entity_type, entity_id }, error) => ({ entity: name, entity_type, entity_id, error }),
    });
  },
  present: (found): Presentation => {
    const rows = [found].flat().flatMap((entry) => {
      const { entity = `${entry.entity_type}/${entry.entity_id}`, tags: found } = entry;
      return (found ?? []).map((tag) => ({ entity, ...tag }));
    });
    return { kind: 'table', record: Array.isArray(found) ? TagOfEntity : OwnTag, rows, empty: 'No tags.' };
  },
});
