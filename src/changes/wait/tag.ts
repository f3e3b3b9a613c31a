import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import { type TagEntry, tags, tagsOf } from '../../resources/tag.ts';

type Entry = RecordOf<typeof TagEntry>;
type Entity = InputOf<typeof tags.list>;

export const replaceTagsObserver: Observer<InputOf<typeof tags.replace>, undefined, Entry> = {
  look: (read, input) =>
    lookFor(
      read,
      input,
      (found) => found.size === new Set(input.tags).size && input.tags.every((tag) => found.has(tag)),
    ),
};

/** Deletions come first, so what is both deleted and added is there at the end. */
export const patchTagsObserver: Observer<InputOf<typeof tags.patch>, undefined, Entry> = {
  look: (read, input) => {
    const tagsOf = (op: 'add' | 'delete') => input.operations.filter((one) => one.op === op).flatMap((one) => one.tags);
    const added = new Set(tagsOf('add'));
    return lookFor(
      read,
      input,
      (found) =>
        [...added].every((tag) => found.has(tag)) && tagsOf('delete').every((tag) => added.has(tag) || !found.has(tag)),
    );
  },
};

export const clearTagsObserver: Observer<InputOf<typeof tags.clear>, undefined, Entry> = {
  look: (read, input) => lookFor(read, input, (found) => found.size === 0),
};

async function lookFor(
  read: Read,
  { entity_type, entity_id }: Entity,
  isAsked: (found: ReadonlySet<string>) => boolean,
): Promise<Entry | undefined> {
  const entry = await read(tags.list, { entity_type, entity_id });
  return isAsked(new Set(tagsOf(entry))) ? entry : undefined;
}
