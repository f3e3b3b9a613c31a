import type { Command, Confirm } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question } from '../../contract/plan.ts';
import { type Edit, edits } from '../../kinds/perform/edit.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, verbs } from '../../kinds/perform/summary.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { servers } from '../../resources/server.ts';
import { TagEntry, tags } from '../../resources/tag.ts';
import { entityParams, heldIn, readEntities, readEntry, refusePattern, type TaggedEntity } from './entity.ts';
import { areSameTags, missingFrom, type Tagging, type TagWork, tagsText } from './work.ts';

interface ChangeTags<P extends Fields> extends Pick<Command, 'about' | 'examples'> {
  /** Its parameters besides the entities. */
  readonly params: P;
  readonly positionals?: readonly string[];
  /** The operations that it may send. */
  readonly sends: readonly Operation[];
  readonly confirm?: Confirm;
  readonly ask?: (all: readonly Tagging[]) => Question | undefined;
  readonly work: (input: Values<P> & TagInput) => TagWork;
}

interface TagInput {
  readonly include_reserved?: boolean;
}

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
      for (const entity of await readEntities(context, argument)) {
        const { name, stack_id, ...id } = entity;
        const entry = await readEntry(context, id);
        const held = heldIn(entry);
        all.push({ id, name, stack_id, entry, ...held, after: [...new Set(work.after(held))] });
      }
      if (!typed.include_reserved) for (const tagging of all) refuseLoss(tagging);
      return {
        ...edits(
          context,
          all.map((tagging) => editOf(tagging, work)),
        ),
        ask: ask?.(all),
        summarize: (changes) => ({
          lines: linesOf(all, changes, { verb: verbs.update, details: tagDetails }),
          undo: all.flatMap((tagging, at) => undoOf(tagging, changes[at] as Change, work)),
        }),
      };
    },
  });
}

type Tags = readonly string[];

function editOf(tagging: Tagging, work: TagWork): Edit<TaggedEntity> {
  const { id, name, entry, after } = tagging;
  const { operation, request } = work.sends(tagging);
  return {
    id: { ...id },
    name,
    held: entry,
    read: (read) => read(tags.list, id),
    // All three writes respond with the entry.
    inReply: (reply) => ((reply as Partial<TaggedEntity> | undefined)?.tags ? (reply as TaggedEntity) : undefined),
    valueIn: (seen) => heldIn(seen).before,
    wanted: after,
    // Of what others have changed meanwhile, a patch says nothing.
    isWanted: (seen) => areSameTags(heldIn(seen).before, work.after(heldIn(seen))),
    operation,
    request,
  };
}

function refuseLoss({ reserved, after }: Tagging): void {
  const lost = missingFrom(after, reserved);
  if (lost.length === 0) return;
  const which = lost.length > 1 ? `${lost.join(', ')} are` : `${lost[0]} is`;
  throw new Problem('rejected', `${which} reserved; nothing was changed`, { retry: { with: ['--include-reserved'] } });
}

/** `edge -> blue, green`. A removed tag cannot be made reserved again. */
function tagDetails(change: Change, { reserved }: Tagging): readonly string[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  if (change.change === 'unchanged' || change.change === 'accepted') return [tagsText(before)];
  if (!isUnderWay(change)) return [];
  const lost = missingFrom(after, reserved);
  const loss = lost.length > 0 ? `; no undo: ${lost.join(', ')} ${lost.length > 1 ? 'were' : 'was'} reserved` : '';
  return [`${tagsText(before)} -> ${tagsText(after)}${loss}`];
}

function undoOf({ name, stack_id, reserved }: Tagging, change: Change, work: TagWork): readonly CommandLine[] {
  const [before, after] = [change.before as Tags, change.after as Tags];
  const isUndone = isUnderWay(change) && missingFrom(after, reserved).length === 0 && !areSameTags(before, after);
  const undo = { ...work.undo({ name, before, after }), ...(stack_id !== undefined && { stack_id }) };
  return undoAfter([change], stack_id, isUndone ? [undo] : []);
}
