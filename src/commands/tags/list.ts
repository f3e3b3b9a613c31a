import { changeEach } from '../../batch/change-each.ts';
import type { Context, Presentation } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { Tag, tagRows } from '../../resources/tag.ts';
import { type Entry, failedEntry, type Named, readEntry, type TaggedEntity } from './entity.ts';

const fields = { entity: text('What is tagged.'), ...Tag.fields };
/** A tag among those of several entities. */
export const TagOfEntity = record('tag', fields, ['entity', 'value', 'reserved']);
/** A tag of the one entity that was named. */
const OwnTag = record('tag', fields, ['value', 'reserved']);

type Listed = Partial<Entry> & Partial<Pick<TaggedEntity, 'error'>>;

/** The entry of one entity, or of several a list; one that cannot be read does not keep the others from it. */
export async function listTags(context: Context, entities: readonly Named[]): Promise<Listed | readonly Listed[]> {
  const [only, ...more] = entities;
  if (only && more.length === 0) return readEntry(context, only);
  return changeEach<Named, Listed>({ keepGoing: true }, entities, {
    nameOf: ({ name }) => name,
    act: async (entity) => ({ ...(await readEntry(context, entity)), error: null }),
    undone: (entity, error) => failedEntry(entity, error),
  });
}

export function presentList(found: Listed | readonly Listed[]): Presentation {
  const entries = isSeveral(found) ? found : [found];
  const rows = entries.flatMap((entry) =>
    tagRows(entry).map((tag) => ({ entity: `${entry.entity_type}/${entry.entity_id}`, ...tag })),
  );
  return { kind: 'table', record: isSeveral(found) ? TagOfEntity : OwnTag, rows, empty: 'No tags.' };
}

function isSeveral(found: Listed | readonly Listed[]): found is readonly Listed[] {
  return Array.isArray(found);
}
