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
  readTagEntry,
  refusePattern,
  type TagEntryRow,
  tagState,
} from './entity.ts';

interface TagCommandSpec<P extends Fields> extends Pick<Command, 'about' | 'examples'> {
  readonly params: P;
  readonly positionals?: readonly string[];
  readonly writeOperations: readonly Operation[];
  readonly confirm?: Confirm;
  readonly ask?: (allTaggings: readonly Tagging[]) => Question | undefined;
  readonly strategyFor: (input: Values<P> & TagInput) => TagStrategy;
}

type TagInput = { readonly include_reserved?: boolean };

const include_reserved = optional(flag('Also remove reserved tags, after asking; this has no undo.'));
const { entity_type, entity_id } = TagEntry.fields;
const tagChangeRecord = changeRecord({ entity_type, entity_id }, { before: many(text('Tag.'), 'Tags.') });

/** Makes a command that changes the tags of entities. It reads all entities before the first change. */
export function createTagCommand<const P extends Fields>(spec: TagCommandSpec<P>): Command {
  const { params, positionals = [], writeOperations, ask, strategyFor, ...rest } = spec;
  return write<Fields>({
    ...rest,
    params: { ...entityParams, ...params, include_reserved },
    positionals: ['entity', ...positionals],
    calls: [servers.list, tags.list, ...writeOperations],
    record: tagChangeRecord,
    printsList: true,
    plan: async (context, input): Promise<Plan> => {
      const typedInput = input as Values<P> & TagInput;
      const argument = String(input['entity']);
      refusePattern(context, argument);
      const strategy = strategyFor(typedInput);
      const taggings: Tagging[] = [];
      for (const { name, stack_id, ...id } of await readEntities(context, argument)) {
        const entry = await readTagEntry(context, id);
        const state = tagState(entry);
        taggings.push({
          id,
          name,
          stack_id,
          entry,
          strategy,
          ...state,
          after: [...new Set(strategy.after(state))],
        });
      }
      if (!typedInput.include_reserved) for (const tagging of taggings) refuseReservedLoss(tagging);
      return { ...planTags(context, taggings, typedInput), ask: ask?.(taggings) };
    },
  });
}

export function planTags(context: Context, taggings: readonly Tagging[], input: TagInput = {}): Plan {
  const tagEdits = taggings.map((tagging) => editOf(tagging, input));
  return {
    ...planEdits(context, tagEdits),
    summarize: (changes) => ({
      lines: linesOf(taggings, changes, { verb: verbs.update, details: tagDetails }),
      undo: taggings.flatMap((tagging, at) => tagUndoCommands(tagging, changes[at] as Change)),
    }),
  };
}

type Tags = readonly string[];
type TagState = ReturnType<typeof tagState>;

function editOf(tagging: Tagging, { include_reserved: includesReserved }: TagInput): Edit<TagEntryRow> {
  const { id, name, entry, before, reserved, after, strategy } = tagging;
  const { operation, request } = strategy.requestFor(tagging);
  const key = `tags of ${id.entity_type}/${id.entity_id}`;
  const replacedValue = { kind: 'tags', key, title: `tags of ${name}`, before, after } as const;
  return {
    id,
    name,
    stateBefore: entry,
    read: (read) => read(tags.list, id),
    // Replace, patch and clear all respond with the tag entry.
    findInReply: (reply) => ((reply as Partial<TagEntryRow> | undefined)?.tags ? (reply as TagEntryRow) : undefined),
    valueIn: (observed) => tagState(observed).before,
    requested: after,
    // The strategy is applied to the observed tags, because a patch keeps tags that another user changed meanwhile.
    hasRequestedValue: (observed) => areSameTags(tagState(observed).before, strategy.after(tagState(observed))),
    operation,
    request,
    // If reserved tags may be lost, no value is recorded, because an undo would restore them as ordinary tags.
    ...(!(includesReserved && reserved.length > 0) && { replaces: [replacedValue] }),
  };
}

function refuseReservedLoss({ reserved, after }: Tagging): void {
  const lostTags = missingFrom(after, reserved);
  if (lostTags.length === 0) return;
  const message = `${lostTags.join(', ')} ${lostTags.length > 1 ? 'are' : 'is'} reserved`;
  throw new CliError('rejected', message, { nothing: 'changed', correction: { add: ['--include-reserved'] } });
}

function tagDetails(change: Change, { reserved }: Tagging): readonly string[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  if (change.change === 'unchanged' || change.change === 'accepted') return [tagsText(before)];
  if (!isUnderWay(change)) return [];
  // A reserved tag that was removed can only come back as an ordinary one, so the line says that it has no undo.
  const lost = missingFrom(after, reserved);
  const lossText = lost.length > 0 ? `; no undo: ${lost.join(', ')} ${lost.length > 1 ? 'were' : 'was'} reserved` : '';
  return [`${tagsText(before)} -> ${tagsText(after)}${lossText}`];
}

function tagUndoCommands({ name, stack_id, reserved, strategy }: Tagging, change: Change): readonly CommandLine[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  const isReversible = isUnderWay(change) && missingFrom(after, reserved).length === 0 && !areSameTags(before, after);
  const undo = { ...strategy.undoCommandFor({ name, before, after }), ...(stack_id !== undefined && { stack_id }) };
  return undoAfter([change], stack_id, isReversible ? [undo] : []);
}

export interface Tagging extends TagState {
  readonly id: Entity;
  /** The name in the input: `server/shop-web-1`. */
  readonly name: string;
  readonly stack_id?: string | undefined;
  readonly entry: TagEntryRow;
  readonly after: readonly string[];
  readonly strategy: TagStrategy;
}

/** A way to change tags: replace all, or patch. */
interface TagStrategy {
  readonly after: (state: TagState) => readonly string[];
  readonly requestFor: (tagging: Tagging) => Pick<Edit<TagEntryRow>, 'operation' | 'request'>;
  readonly undoCommandFor: (tagging: Pick<Tagging, 'name' | 'before' | 'after'>) => CommandLine;
}

/** Returns the strategy that replaces all tags. Reserved tags need a patch, because replacing makes them ordinary. */
export function createReplaceStrategy(requested: readonly string[], includesReserved = false): TagStrategy {
  return {
    after: ({ reserved }) => (includesReserved ? requested : [...reserved, ...requested]),
    requestFor: ({ id, before, after, reserved }) => {
      if (reserved.length > 0 && !includesReserved) {
        return patchRequest(id, missingFrom(before, after), missingFrom(after, before));
      }
      if (requested.length === 0) return { operation: tags.clear, request: { ...id } };
      return { operation: tags.replace, request: { ...id, tags: requested } };
    },
    undoCommandFor: restoreCommand,
  };
}

function restoreCommand({ name, before }: Pick<Tagging, 'name' | 'before'>): CommandLine {
  if (before.length === 0) return { path: 'tags clear', operands: [name] };
  return { path: 'tags set', operands: [name, ...before] };
}

type TagPatch = { readonly add?: Tags; readonly delete?: Tags };

export function createPatchStrategy({ add = [], delete: tagsToDelete = [] }: TagPatch): TagStrategy {
  return {
    after: ({ before }) => [...missingFrom(tagsToDelete, before), ...add],
    requestFor: ({ id }) => patchRequest(id, add, tagsToDelete),
    undoCommandFor: ({ name, before, after }) => {
      const [addedTags, removedTags] = [missingFrom(before, after), missingFrom(after, before)];
      // A flag separates tags with commas, so a tag with a comma would become two.
      if ([...addedTags, ...removedTags].some((tag) => tag.includes(','))) return restoreCommand({ name, before });
      const flags = [...tagsFlag('--add', removedTags), ...tagsFlag('--delete', addedTags)];
      return { path: 'tags patch', operands: [name], flags };
    },
  };
}

function patchRequest(id: Entity, tagsToAdd: Tags, tagsToDelete: Tags) {
  // Deletions come first, so a tag that is both deleted and added remains.
  const operations = [
    { op: 'delete', tags: tagsToDelete },
    { op: 'add', tags: tagsToAdd },
  ];
  return { operation: tags.patch, request: { ...id, operations: operations.filter((one) => one.tags.length > 0) } };
}

function tagsFlag(flag: string, values: Tags): readonly string[] {
  return values.length === 0 ? [] : flagWords(flag, values.join(','));
}

export function missingFrom(present: readonly string[], requested: readonly string[]): readonly string[] {
  return requested.filter((tag) => !present.includes(tag));
}

function areSameTags(one: readonly string[], other: readonly string[]): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0;
}

export function tagsText(tags: readonly string[]): string {
  return tags.join(', ') || 'no tags';
}
