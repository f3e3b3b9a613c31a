import { isSame } from '../../../builders/execute/send.ts';
import { servers } from '../../../resources/server.ts';
import { tags } from '../../../resources/tag.ts';
import { pathOf } from '../../../state/entry.ts';
import { missingFrom, planTags, replaceTags } from '../../tags/change.ts';
import { type TaggedEntity, tagState } from '../../tags/entity.ts';
import type { FileSection, Wanted } from '../section.ts';
import { namedServers, ofEachServer, uidOf, undefinedIfMissing } from './servers.ts';

/** The tags of servers that the service has not reserved. */
export const tagsSection: FileSection = {
  name: 'tags',
  reads: [servers.list, tags.list],
  writes: [tags.replace, tags.patch, tags.clear],
  read: (reader) =>
    ofEachServer(reader, async (server) => {
      const entry = await reader.call(tags.list, { entity_type: 'server', entity_id: server.uid });
      return {
        section: 'tags',
        path: pathOf({ section: 'tags', key: 'tags', server: server.name }),
        key: 'tags',
        server,
        value: tagsText(freeTags(entry)),
        // Only tags have times with an offset.
        changed_at: entry.updated_at_iso?.replace(/\+0000$/, 'Z') ?? null,
        count: null,
        isSecret: false,
        row: entry,
      };
    }),
  serversOf: namedServers,
  isReached: (wanted) => isSame(freeTags(entityOf(wanted)), requestedTags(wanted)),
  render: ({ row }) => ({ kind: 'tags', tags: freeTags(row as TaggedEntity) }),
  phaseOf: () => 'tags',
  plan: (context, stack_id, wanted) =>
    planTags(
      context,
      wanted.map((one) => {
        const [entry, work] = [entityOf(one), replaceTags(requestedTags(one))];
        const state = tagState(entry);
        const id = { entity_type: 'server', entity_id: uidOf(one) } as const;
        return { id, name: `server/${one.server?.name}`, stack_id, entry, work, ...state, after: work.after(state) };
      }),
    ),
  textOf: (value, wanted) => (Array.isArray(value) ? tagsText(missingFrom(reservedTags(wanted), value)) : value),
  valueNow: async ({ call }, wanted) => {
    const now = await call(tags.list, { entity_type: 'server', entity_id: uidOf(wanted) }).catch(undefinedIfMissing);
    return now && tagsText(freeTags(now));
  },
};

function entityOf({ item }: Wanted): TaggedEntity {
  return item?.row as TaggedEntity;
}

function freeTags(entry: TaggedEntity): readonly string[] {
  const { before, reserved } = tagState(entry);
  return missingFrom(reserved, before).toSorted();
}

function tagsText(values: readonly string[]): string {
  return values.toSorted().join(', ');
}

function reservedTags(wanted: Wanted): readonly string[] {
  return tagState(entityOf(wanted)).reserved;
}

function requestedTags(wanted: Wanted): readonly string[] {
  const { expression } = wanted.entry;
  return expression.kind === 'tags' ? missingFrom(reservedTags(wanted), expression.tags) : [];
}
