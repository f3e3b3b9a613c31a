import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Command, Confirm, Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { type Fields, flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { servers } from '../../resources/server.ts';
import { TagEntry, tags } from '../../resources/tag.ts';
import {
  type Entity,
  entityParams,
  readEntities,
  readEntry,
  refusePattern,
  type TaggedEntity,
  tagState,
} from './entity.ts';

interface ChangeTags<P extends Fields> extends Pick<Command, 'about' | 'examples'> {
  readonly params: P;
  readonly positionals?: readonly string[];
  readonly sends: readonly Operation[];
  readonly confirm?: Confirm;
  readonly ask?: (all: readonly Tagging[]) => Question | undefined;
  readonly work: (input: Values<P> & TagInput) => TagWork;
}

type TagInput = { readonly include_reserved?: boolean };

const include_reserved = optional(flag('Also remove reserved tags, after asking; this has no undo.'));
const { entity_type, entity_id } = TagEntry.fields;
const record = changeRecord({ entity_type, entity_id }, { before: many(text('Tag.'), 'Tags.') });

/** Changes the tags of each entity that does not have them yet. All entities are read before the first change. */
export function changeTags<const P extends Fields>(spec: ChangeTags<P>): Command {
  const { params, positionals = [], sends, ask, work: workOf, ...rest } = spec;
  return write<Fields>({
    ...rest,
    params: { ...entityParams, ...params, include_reserved },
    positionals: ['entity', ...positionals],
    calls: [servers.list, tags.list, ...sends],
    record,
    isList: true,
    plan: async (context, input): Promise<Plan> => {
      const typed = input as Values<P> & TagInput;
      const argument = String(input['entity']);
      refusePattern(context, argument);
      const work = workOf(typed);
      const all: Tagging[] = [];
      for (const { name, stack_id, ...id } of await readEntities(context, argument)) {
        const entry = await readEntry(context, id);
        const state = tagState(entry);
        all.push({ id, name, stack_id, entry, work, ...state, after: [...new Set(work.after(state))] });
      }
      if (!typed.include_reserved) for (const tagging of all) refuseLoss(tagging);
      return { ...planTags(context, all, typed), ask: ask?.(all) };
    },
  });
}

export function planTags(context: Context, all: readonly Tagging[], input: TagInput = {}): Plan {
  const changing = all.map((tagging) => editOf(tagging, input));
  return {
    ...planEdits(context, changing),
    summarize: (changes) => ({
      lines: linesOf(all, changes, { verb: verbs.update, details: tagDetails }),
      undo: all.flatMap((tagging, at) => tagsUndo(tagging, changes[at] as Change)),
    }),
  };
}

type Tags = readonly string[];
type TagState = ReturnType<typeof tagState>;

function editOf(tagging: Tagging, { include_reserved: takesReserved }: TagInput): Edit<TaggedEntity> {
  const { id, name, entry, before, reserved, after, work } = tagging;
  const { operation, request } = work.sends(tagging);
  const key = `tags of ${id.entity_type}/${id.entity_id}`;
  const replaced = { kind: 'tags', key, title: `tags of ${name}` } as const;
  return {
    id: { ...id },
    name,
    state: entry,
    read: (read) => read(tags.list, id),
    // All three writes respond with the entry.
    inReply: (reply) => ((reply as Partial<TaggedEntity> | undefined)?.tags ? (reply as TaggedEntity) : undefined),
    valueIn: (observed) => tagState(observed).before,
    requested: after,
    // A patch does not restore tags that another user changed in the meantime.
    isReached: (observed) => areSameTags(tagState(observed).before, work.after(tagState(observed))),
    operation,
    request,
    // An undo would restore a reserved tag as an ordinary one.
    ...(!(takesReserved && reserved.length > 0) && { replaces: [{ ...replaced, before, after }] }),
  };
}

function refuseLoss({ reserved, after }: Tagging): void {
  const lost = missingFrom(after, reserved);
  if (lost.length === 0) return;
  const which = lost.length > 1 ? `${lost.join(', ')} are` : `${lost[0]} is`;
  throw new CliError('rejected', `${which} reserved`, {
    nothing: 'changed',
    correction: { add: ['--include-reserved'] },
  });
}

function tagDetails(change: Change, { reserved }: Tagging): readonly string[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  if (change.change === 'unchanged' || change.change === 'accepted') return [tagsText(before)];
  if (!isUnderWay(change)) return [];
  // A removed tag cannot be made reserved again.
  const lost = missingFrom(after, reserved);
  const loss = lost.length > 0 ? `; no undo: ${lost.join(', ')} ${lost.length > 1 ? 'were' : 'was'} reserved` : '';
  return [`${tagsText(before)} -> ${tagsText(after)}${loss}`];
}

function tagsUndo({ name, stack_id, reserved, work }: Tagging, change: Change): readonly CommandLine[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  const isUndone = isUnderWay(change) && missingFrom(after, reserved).length === 0 && !areSameTags(before, after);
  const undo = { ...work.undo({ name, before, after }), ...(stack_id !== undefined && { stack_id }) };
  return undoAfter([change], stack_id, isUndone ? [undo] : []);
}

export interface Tagging extends TagState {
  readonly id: Entity;
  /** The name in the input: `server/shop-web-1`. */
  readonly name: string;
  readonly stack_id?: string | undefined;
  readonly entry: TaggedEntity;
  readonly after: readonly string[];
  readonly work: TagWork;
}

/** One way to change tags: replace or patch. */
interface TagWork {
  /** The requested tags. */
  readonly after: (state: TagState) => readonly string[];
  readonly sends: (tagging: Tagging) => Pick<Edit<TaggedEntity>, 'operation' | 'request'>;
  /** The command that restores `before`. */
  readonly undo: (tagging: Pick<Tagging, 'name' | 'before' | 'after'>) => CommandLine;
}

/** Replacing or clearing would turn reserved tags into ordinary ones, so the other tags are patched instead. */
export function replaceTags(requested: readonly string[], takesReserved = false): TagWork {
  return {
    after: ({ reserved }) => (takesReserved ? requested : [...reserved, ...requested]),
    sends: ({ id, before, after, reserved }) => {
      if (reserved.length > 0 && !takesReserved) {
        return patchInput(id, missingFrom(before, after), missingFrom(after, before));
      }
      if (requested.length === 0) return { operation: tags.clear, request: { ...id } };
      return { operation: tags.replace, request: { ...id, tags: requested } };
    },
    undo: setBack,
  };
}

function setBack({ name, before }: Pick<Tagging, 'name' | 'before'>): CommandLine {
  if (before.length === 0) return { path: 'tags clear', operands: [name] };
  return { path: 'tags set', operands: [name, ...before] };
}

export function patchTags({ add = [], delete: deleted = [] }: { add?: Tags; delete?: Tags }): TagWork {
  return {
    after: ({ before }) => [...missingFrom(deleted, before), ...add],
    sends: ({ id }) => patchInput(id, add, deleted),
    undo: ({ name, before, after }) => {
      const [added, removed] = [missingFrom(before, after), missingFrom(after, before)];
      // In a flag, a tag with a comma would be two.
      if ([...added, ...removed].some((tag) => tag.includes(','))) return setBack({ name, before });
      const flags = [...tagsFlag('--add', removed), ...tagsFlag('--delete', added)];
      return { path: 'tags patch', operands: [name], flags };
    },
  };
}

function patchInput(id: Entity, add: Tags, deleted: Tags) {
  // Deletions come first, so a tag that is both deleted and added remains.
  const operations = [
    { op: 'delete', tags: deleted },
    { op: 'add', tags: add },
  ];
  return { operation: tags.patch, request: { ...id, operations: operations.filter((one) => one.tags.length > 0) } };
}

function tagsFlag(flag: string, values: Tags): readonly string[] {
  return values.length === 0 ? [] : flagWords(flag, values.join(','));
}

export function missingFrom(there: readonly string[], requested: readonly string[]): readonly string[] {
  return requested.filter((tag) => !there.includes(tag));
}

function areSameTags(one: readonly string[], other: readonly string[]): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0;
}

export function tagsText(tags: readonly string[]): string {
  return tags.join(', ') || 'no tags';
}
