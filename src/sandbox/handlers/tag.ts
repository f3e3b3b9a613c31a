import type { InputOf } from '../../contract/operation.ts';
import type { tags } from '../../resources/tag.ts';
import { type HandlersOf, refuse, type SandboxContext } from '../context.ts';
import { offsetStamp } from '../seed/made-up.ts';
import type { TagRecord } from '../state.ts';

type Entity = InputOf<typeof tags.list>;

export const tagHandlers: HandlersOf<'tags'> = {
  list: findOrAddEntry,
  replace: (context, { tags, ...entity }) => changeTags(context, entity, () => tags),
  patch: (context, { operations, ...entity }) => {
    // The service deletes before it adds, whatever the order of the operations.
    const tagsOf = (name: 'add' | 'delete') => operations.filter(({ op }) => op === name).flatMap(({ tags }) => tags);
    const deleted = tagsOf('delete');
    return changeTags(context, entity, (tags) => [...tags.filter((tag) => !deleted.includes(tag)), ...tagsOf('add')]);
  },
  clear: (context, entity) => changeTags(context, entity, () => []),
};

type ValueChanger = (values: readonly string[]) => readonly string[];

function changeTags(context: SandboxContext, entity: Entity, changeValues: ValueChanger): TagRecord {
  const entry = findOrAddEntry(context, entity);
  const values = [...new Set(changeValues(entry.tags.map(({ value }) => value)))];
  if (values.some((value) => value.trim() === '')) refuse(400, 'a tag cannot be empty');
  const reservedValues = entry.tags.filter((tag) => tag.reserved).map(({ value }) => value);
  entry.tags = values.map((value) => ({ value, reserved: reservedValues.includes(value) }));
  entry.updated_at_iso = offsetStamp(context.now);
  return entry;
}

function findOrAddEntry({ state, now }: SandboxContext, { entity_type, entity_id }: Entity): TagRecord {
  const stack = state.stacks.find(({ servers, loadbalancers }) => {
    const ids = entity_type === 'server' ? servers.map(({ row }) => row.uid) : loadbalancers.map(({ id }) => id);
    return ids.includes(entity_id);
  });
  if (!stack) return refuse(404, `${entity_type} "${entity_id}" not found`);
  const existing = stack.tags.find((entry) => entry.entity_type === entity_type && entry.entity_id === entity_id);
  if (existing) return existing;
  // A read does not save the state. The time is the creation of the server, so that every read shows the same time.
  const { row } = stack.servers.find(({ row: { uid } }) => uid === entity_id) ?? {};
  const creationTime = offsetStamp(row ? Date.parse(row.created_at) : now);
  const entry = { entity_type, entity_id, tags: [], created_at_iso: creationTime, updated_at_iso: creationTime };
  stack.tags.push(entry);
  return entry;
}
