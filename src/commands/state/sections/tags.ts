import { isSameValue } from '../../../builders/execute/send.ts';
import { type ServerRow, servers } from '../../../resources/server.ts';
import { tags } from '../../../resources/tag.ts';
import { entryPathOf } from '../../../state/entry.ts';
import { createReplaceStrategy, missingFrom, planTags } from '../../tags/change.ts';
import { type Entity, type TagEntryRow, tagState } from '../../tags/entity.ts';
import { type FileSection, type StackItem, undefinedIfMissing, type WantedItem } from '../section.ts';

/** The section of server tags, without the tags that the service has reserved. */
export const tagsSection: FileSection = {
  name: 'tags',
  reads: [servers.list, tags.list],
  writes: [tags.replace, tags.patch, tags.clear],
  read: async ({ call, listServers }) => {
    const readServerTags = async (server: ServerRow): Promise<StackItem> => {
      const tagEntry = await call(tags.list, entityOf(server));
      return {
        section: 'tags',
        path: entryPathOf({ section: 'tags', key: 'tags', server: server.name }),
        key: 'tags',
        server,
        value: tagsText(unreservedTags(tagEntry)),
        // Times of tags end with an offset. All other times end with Z, so the offset is replaced.
        changed_at: tagEntry.updated_at_iso?.replace(/\+0000$/, 'Z') ?? null,
        count: null,
        isSecret: false,
        row: tagEntry,
      };
    };
    return Promise.all((await listServers()).map(readServerTags));
  },
  hasWantedValue: (wanted) => isSameValue(unreservedTags(tagEntryOf(wanted)), requestedTags(wanted)),
  newExpression: ({ row }) => ({ kind: 'tags', tags: unreservedTags(row as TagEntryRow) }),
  phaseOf: () => 'tags',
  plan: (context, stack_id, wanted) => {
    const taggings = wanted.map((one) => {
      const [entry, strategy] = [tagEntryOf(one), createReplaceStrategy(requestedTags(one))];
      const [id, name, state] = [entityOf(one.server), `server/${one.server?.name}`, tagState(entry)];
      return { id, name, stack_id, entry, strategy, ...state, after: strategy.after(state) };
    });
    return planTags(context, taggings);
  },
  textOf: (value, wanted) => (Array.isArray(value) ? tagsText(missingFrom(reservedTags(wanted), value)) : value),
  readValue: async ({ call }, { server }) => {
    // The server may have been replaced meanwhile.
    const tagEntry = await call(tags.list, entityOf(server)).catch(undefinedIfMissing);
    return tagEntry && tagsText(unreservedTags(tagEntry));
  },
};

function entityOf(server: ServerRow | undefined): Entity {
  return { entity_type: 'server', entity_id: String(server?.uid) };
}

function tagEntryOf({ item }: WantedItem): TagEntryRow {
  return item?.row as TagEntryRow;
}

function unreservedTags(tagEntry: TagEntryRow): readonly string[] {
  const { before, reserved } = tagState(tagEntry);
  return missingFrom(reserved, before).toSorted();
}

function tagsText(values: readonly string[]): string {
  return values.toSorted().join(', ');
}

function reservedTags(wanted: WantedItem): readonly string[] {
  return tagState(tagEntryOf(wanted)).reserved;
}

function requestedTags(wanted: WantedItem): readonly string[] {
  const { expression } = wanted.entry;
  return expression.kind === 'tags' ? missingFrom(reservedTags(wanted), expression.tags) : [];
}
