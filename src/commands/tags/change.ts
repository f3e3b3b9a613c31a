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
import { type Entity, TagEntry, type TagEntryRow, tags, tagValuesOf } from '../../resources/tag.ts';
import { entityParams, type NamedEntity, readEntities, readTagEntry, refusePattern } from './entity.ts';

interface TagCommandSpec<P extends Fields> extends Pick<Command, 'about' | 'examples'> {
  readonly params: P;
  readonly positionals?: readonly string[];
  /** An operation of the command besides the patch. */
  readonly operation?: Operation;
  readonly confirm?: Confirm;
  readonly ask?: (taggings: readonly Tagging[]) => Question | undefined;
  readonly strategyFor: (input: Values<P> & { readonly include_reserved?: boolean }) => TagStrategy;
}

const include_reserved = optional(flag('Also remove reserved tags, after asking; this has no undo.'));
const { entity_type, entity_id } = TagEntry.fields;

/** Makes a command that changes the tags of entities. It reads all entities before the first change. */
export function createTagCommand<const P extends Fields>(spec: TagCommandSpec<P>): Command {
  const { params, positionals = [], operation, ask, strategyFor, ...rest } = spec;
  return write<Fields>({
    ...rest,
    params: { ...entityParams, ...params, include_reserved },
    positionals: ['entity', ...positionals],
    calls: [servers.list, tags.list, ...(operation ? [operation] : []), tags.patch],
    record: changeRecord({ entity_type, entity_id }, { before: many(text('Tag.'), 'Tags.') }),
    printsList: true,
    plan: async (context, input): Promise<Plan> => {
      const argument = String(input['entity']);
      refusePattern(context, argument);
      const strategy = strategyFor(input as Values<P>);
      const taggings: Tagging[] = [];
      for (const entity of await readEntities(context, argument)) {
        taggings.push(taggingOf(entity, await readTagEntry(context, entity), strategy));
      }
      if (!strategy.includesReserved) for (const tagging of taggings) refuseReservedLoss(tagging);
      return { ...planTags(context, taggings), ask: ask?.(taggings) };
    },
  });
}

export function taggingOf({ name, stack_id, ...id }: NamedEntity, entry: TagEntryRow, strategy: TagStrategy): Tagging {
  const state = tagState(entry);
  return { id, name, stack_id, entry, strategy, ...state, after: [...new Set(strategy.after(state))] };
}

export function planTags(context: Context, taggings: readonly Tagging[]): Plan {
  return {
    ...planEdits(context, taggings.map(editOf)),
    summarize: (changes) => ({
      lines: linesOf(taggings, changes, { verb: verbs.update, details: tagDetails }),
      undo: taggings.flatMap((tagging, at) => tagUndoCommands(tagging, changes[at] as Change)),
    }),
  };
}

type Tags = readonly string[];
type TagState = ReturnType<typeof tagState>;

/** Returns all tags of an entity as `before`, its state before a change, and the reserved tags among them. */
export function tagState(entry: TagEntryRow) {
  return {
    before: tagValuesOf(entry),
    reserved: (entry.tags ?? []).flatMap(({ value, reserved }) => (reserved ? [value] : [])),
  };
}

function editOf(tagging: Tagging): Edit<TagEntryRow> {
  const { id, name, entry, before, reserved, after, strategy } = tagging;
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
    ...strategy.requestFor(tagging),
    // If reserved tags may be lost, no value is recorded, because an undo would restore them as ordinary tags.
    ...(!(strategy.includesReserved && reserved.length > 0) && { replaces: [replacedValue] }),
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
  readonly after: Tags;
  readonly strategy: TagStrategy;
}

/** A way to change tags: replace all, or patch. */
interface TagStrategy {
  /** True if reserved tags may be lost. */
  readonly includesReserved: boolean;
  readonly after: (state: TagState) => Tags;
  readonly requestFor: (tagging: Tagging) => Pick<Edit<TagEntryRow>, 'operation' | 'request'>;
  readonly undoCommandFor: (tagging: Pick<Tagging, 'name' | 'before' | 'after'>) => CommandLine;
}

/** Returns the strategy that replaces all tags. Reserved tags need a patch, because replacing makes them ordinary. */
export function createReplaceStrategy(requested: Tags, includesReserved = false): TagStrategy {
  return {
    includesReserved,
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

type TagPatch = { readonly add?: Tags; readonly delete?: Tags; readonly include_reserved?: boolean | undefined };

export function createPatchStrategy({ add = [], delete: tagsToDelete = [], include_reserved }: TagPatch): TagStrategy {
  return {
    includesReserved: include_reserved === true,
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

export function missingFrom(present: Tags, requested: Tags): Tags {
  return requested.filter((tag) => !present.includes(tag));
}

function areSameTags(one: Tags, other: Tags): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0;
}

export function tagsText(tags: Tags): string {
  return tags.join(', ') || 'no tags';
}
