import { flag, group, instant, many, oneOf, text } from '../contract/field.ts';
import { type InputOf, operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { sole } from '../contract/reply.ts';

export const Tag = record(
  'tag',
  { value: text('The tag.'), reserved: flag('Whether it is reserved by the service.') },
  ['value', 'reserved'],
);

export const TagEntry = record(
  'tag entry',
  {
    entity_type: text('Type of entity.'),
    entity_id: text('ID of the entity.'),
    tags: many(group(Tag.fields, 'One tag.'), 'Tags of the entity.'),
    created_at_iso: instant('Creation time.'),
    updated_at_iso: instant('Time of the last change.'),
  },
  ['entity_id', 'entity_type', 'tags'],
  { plural: 'tag entries' },
);

export type TagEntryRow = RecordOf<typeof TagEntry>;

/** Returns the values of the tags in an entry; an empty list if the entry has no `tags`. */
export function tagValuesOf({ tags }: Partial<TagEntryRow>): readonly string[] {
  return (tags ?? []).flatMap(({ value }) => value || []);
}

const entityParams = {
  entity_type: oneOf(['server', 'loadbalancer'], 'Kind of entity.'),
  entity_id: text('UID of the server or ID of the load balancer.'),
};
const entityText = '{entity_type}/{entity_id}';
const writeSpec = {
  reply: sole(TagEntry, ['tags', 'entity_id']),
  check: `tags list ${entityText}`,
  missing: entityText,
};

export const tags = {
  list: operation('GET /tags/:entity_type/:entity_id', {
    about: 'List the tags of a server or load balancer.',
    params: entityParams,
    reply: sole(TagEntry),
    missing: entityText,
  }),
  replace: operation('POST /tags/:entity_type/:entity_id', {
    about: 'Replace all tags of a server or load balancer.',
    params: { ...entityParams, tags: many(text('Tag.'), 'The tags to set.', { label: 'tag' }) },
    ...writeSpec,
  }),
  patch: operation('PATCH /tags/:entity_type/:entity_id', {
    about: 'Delete tags, then add tags.',
    params: {
      ...entityParams,
      operations: many(
        group({ op: oneOf(['add', 'delete'], 'Add or delete.'), tags: many(text('Tag.'), 'The tags.') }, 'One step.'),
        'Steps.',
      ),
    },
    ...writeSpec,
  }),
  clear: operation('DELETE /tags/:entity_type/:entity_id', {
    about: 'Remove all tags of a server or load balancer.',
    params: entityParams,
    ...writeSpec,
  }),
};

export type Entity = InputOf<typeof tags.list>;
