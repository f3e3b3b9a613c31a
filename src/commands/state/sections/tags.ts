import { isSameValue } from '../../../builders/execute/send.ts';
import { servers } from '../../../resources/server.ts';
import { tags } from '../../../resources/tag.ts';
import { entryPathOf } from '../../../state/entry.ts';
import { createReplaceStrategy, missingFrom, planTags } from '../../tags/change.ts';
import { type TagEntryRow, tagState } from '../../tags/entity.ts';
import type { FileSection, WantedItem } from '../section.ts';
import { namedServers, readEachServer, uidOf, undefinedIfMissing } from './servers.ts';

/** The section of server tags, without the tags that the service has reserved. */
export const tagsSection: FileSection = {
  name: 'tags',
  reads: [servers.list, tags.list],
  writes: [tags.replace, tags.patch, tags.clear],
  read: (reader) =>
    readEachServer(reader, async (server) => {
      const tagEntry = await reader.call(tags.list, { entity_type: 'server', entity_id: server.uid });
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
    }),
  serversOf: namedServers,
  hasWantedValue: (wanted) => isSameValue(unreservedTags(tagEntryOf(wanted)), requestedTags(wanted)),
  newExpression: ({ row }) => ({ kind: 'tags', tags: unreservedTags(row as TagEntryRow) }),
  phaseOf: () => 'tags',
  plan: (context, stack_id, wanted) =>
    planTags(
      context,
      wanted.map((one) => {
        const [tagEntry, strategy] = [tagEntryOf(one), createReplaceStrategy(requestedTags(one))];
        const state = tagState(tagEntry);
        const id = { entity_type: 'server', entity_id: uidOf(one) } as const;
        const name = `server/${one.server?.name}`;
        return { id, name, stack_id, entry: tagEntry, strategy, ...state, after: strategy.after(state) };
      }),
    ),
  textOf: (value, wanted) => (Array.isArray(value) ? tagsText(missingFrom(reservedTags(wanted), value)) : value),
  readValue: async ({ call }, wanted) => {
    const row = await call(tags.list, { entity_type: 'server', entity_id: uidOf(wanted) }).catch(undefinedIfMissing);
    return row && tagsText(unreservedTags(row));
  },
};

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
