import type { CallMore, Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { tags } from '../../resources/tag.ts';
import type { Entity, Held } from './entity.ts';

/** The tags of one entity before and after a change. */
export interface Tagging extends Held {
  readonly id: Entity;
  /** As typed: `server/shop-web-1`. */
  readonly name: string;
  /** The stack in which it was found by name. */
  readonly stack_id?: string | undefined;
  readonly after: readonly string[];
}

/** One way to change tags: replace or patch. */
export interface TagWork {
  /** The wanted tags; if an entity has exactly these, nothing is sent. */
  readonly after: (held: Held) => readonly string[];
  readonly send: (context: Context, tagging: Tagging, more: CallMore) => Promise<unknown>;
  /** The command that restores `before`. */
  readonly undo: (tagging: Pick<Tagging, 'name' | 'before' | 'after'>) => CommandLine;
}

/** Replacing or clearing would turn reserved tags into ordinary ones, so the other tags are patched instead. */
export function replacing(wanted: readonly string[], takesReserved = false): TagWork {
  return {
    after: ({ reserved }) => (takesReserved ? wanted : [...reserved, ...wanted]),
    send: (context, { id, before, after, reserved }, more) => {
      if (reserved.length > 0 && !takesReserved) {
        return patch(context, id, { add: missingFrom(before, after), delete: missingFrom(after, before) }, more);
      }
      if (wanted.length === 0) return context.call(tags.clear, id, more);
      return context.call(tags.replace, { ...id, tags: wanted }, more);
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
    send: (context, { id }, more) => patch(context, id, { add, delete: deleted }, more),
    undo: ({ name, before, after }) => ({
      path: 'tags patch',
      operands: [name],
      flags: [...tagsFlag('--add', missingFrom(after, before)), ...tagsFlag('--delete', missingFrom(before, after))],
    }),
  };
}

/** Deletions come first, so a tag that is both deleted and added remains. */
function patch(context: Context, id: Entity, tagsBy: Required<TagPatch>, more: CallMore): Promise<unknown> {
  const operations = (['delete', 'add'] as const).map((op) => ({ op, tags: tagsBy[op] }));
  return context.call(tags.patch, { ...id, operations: operations.filter((one) => one.tags.length > 0) }, more);
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
