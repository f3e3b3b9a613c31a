import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Input } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import { tags } from '../../resources/tag.ts';
import type { Entity, Held, TaggedEntity } from './entity.ts';

/** The tags of one entity before and after a change. */
export interface Tagging extends Held {
  readonly id: Entity;
  /** As typed: `server/shop-web-1`. */
  readonly name: string;
  /** The stack in which it was found by name. */
  readonly stack_id?: string | undefined;
  /** As it was read before. */
  readonly entry: TaggedEntity;
  readonly after: readonly string[];
}

interface Sent {
  readonly operation: Operation;
  readonly request: Input;
}

/** One way to change tags: replace or patch. */
export interface TagWork {
  /** The wanted tags; if an entity has exactly these, nothing is sent. */
  readonly after: (held: Held) => readonly string[];
  readonly sends: (tagging: Tagging) => Sent;
  /** The command that restores `before`. */
  readonly undo: (tagging: Pick<Tagging, 'name' | 'before' | 'after'>) => CommandLine;
}

/** Replacing or clearing would turn reserved tags into ordinary ones, so the other tags are patched instead. */
export function replacing(wanted: readonly string[], takesReserved = false): TagWork {
  return {
    after: ({ reserved }) => (takesReserved ? wanted : [...reserved, ...wanted]),
    sends: ({ id, before, after, reserved }) => {
      if (reserved.length > 0 && !takesReserved) {
        return patch(id, { add: missingFrom(before, after), delete: missingFrom(after, before) });
      }
      if (wanted.length === 0) return { operation: tags.clear, request: { ...id } };
      return { operation: tags.replace, request: { ...id, tags: wanted } };
    },
    undo: ({ name, before }) =>
      before.length === 0
        ? { path: 'tags clear', operands: [name] }
        : { path: 'tags set', operands: [name, ...before] },
  };
}

interface TagPatch {
  readonly add?: readonly string[];
  readonly delete?: readonly string[];
}

export function patching({ add = [], delete: deleted = [] }: TagPatch): TagWork {
  return {
    after: ({ before }) => [...missingFrom(deleted, before), ...add],
    sends: ({ id }) => patch(id, { add, delete: deleted }),
    undo: ({ name, before, after }) => ({
      path: 'tags patch',
      operands: [name],
      flags: [...tagsFlag('--add', missingFrom(after, before)), ...tagsFlag('--delete', missingFrom(before, after))],
    }),
  };
}

/** Deletions come first, so a tag that is both deleted and added remains. */
function patch(id: Entity, tagsBy: Required<TagPatch>): Sent {
  const operations = (['delete', 'add'] as const).map((op) => ({ op, tags: tagsBy[op] }));
  return { operation: tags.patch, request: { ...id, operations: operations.filter((one) => one.tags.length > 0) } };
}

function tagsFlag(flag: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : flagWords(flag, values.join(','));
}

/** The wanted tags that are not present. */
export function missingFrom(there: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((tag) => !there.includes(tag));
}

/** Compares without order. */
export function areSameTags(one: readonly string[], other: readonly string[]): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0;
}

export function tagsText(tags: readonly string[]): string {
  return tags.join(', ') || 'no tags';
}
