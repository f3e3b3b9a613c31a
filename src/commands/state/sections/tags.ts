import { isSameValue } from '../../../builders/execute/send.ts';
import { type ServerRow, servers } from '../../../resources/server.ts';
import { type Entity, type TagEntryRow, tags } from '../../../resources/tag.ts';
import { createReplaceStrategy, missingFrom, planTags, taggingOf, tagState } from '../../tags/change.ts';
import { type FileSection, itemIdentity, type StackItem, undefinedIfMissing, type WantedItem } from '../section.ts';

/** The section of server tags, without the tags that the service has reserved. */
export const tagsSection: FileSection = {
  name: 'tags',
  reads: [servers.list, tags.list],
  writes: [tags.replace, tags.patch, tags.clear],
  read: async ({ call, listServers }) => {
    const readServerTags = async (server: ServerRow): Promise<StackItem> => {
      const entry = await call(tags.list, entityOf(server));
      const row: TagRow = { entry, ...tagState(entry) };
      return {
        ...itemIdentity('tags', 'tags', server),
        value: tagsText(unreservedTags(row)),
        // Times of tags end with an offset. All other times end with Z, so the offset is replaced.
        changed_at: entry.updated_at_iso?.replace(/\+0000$/, 'Z') ?? null,
        count: null,
        isSecret: false,
        row,
      };
    };
    return Promise.all((await listServers()).map(readServerTags));
  },
  hasWantedValue: (wanted) => isSameValue(unreservedTags(rowOf(wanted)), requestedTags(wanted)),
  newExpression: ({ row }) => ({ kind: 'tags', tags: unreservedTags(row as TagRow) }),
  planChanges: (context, stack_id, wanted) => {
    const taggings = wanted.map((one) => {
      const entity = { ...entityOf(one.server), name: `server/${one.server?.name}`, stack_id };
      return taggingOf(entity, rowOf(one).entry, createReplaceStrategy(requestedTags(one)));
    });
    return [planTags(context, taggings)];
  },
  textOf: (value, wanted) => (Array.isArray(value) ? tagsText(missingFrom(rowOf(wanted).reserved, value)) : value),
  readValue: async ({ call }, { server }) => {
    // The server may have been replaced meanwhile.
    const entry = await call(tags.list, entityOf(server)).catch(undefinedIfMissing);
    return entry && tagsText(unreservedTags(tagState(entry)));
  },
};

/** The tag entry of a server with its tags: `before` has all, `reserved` those of the service. */
type TagRow = ReturnType<typeof tagState> & { readonly entry: TagEntryRow };

function entityOf(server: ServerRow | undefined): Entity {
  return { entity_type: 'server', entity_id: String(server?.uid) };
}

function rowOf({ item }: WantedItem): TagRow {
  return item?.row as TagRow;
}

function unreservedTags({ before, reserved }: Pick<TagRow, 'before' | 'reserved'>): readonly string[] {
  return missingFrom(reserved, before).toSorted();
}

function tagsText(values: readonly string[]): string {
  return values.toSorted().join(', ');
}

function requestedTags(wanted: WantedItem): readonly string[] {
  const { expression } = wanted.entry;
  return expression.kind === 'tags' ? missingFrom(rowOf(wanted).reserved, expression.tags) : [];
}
