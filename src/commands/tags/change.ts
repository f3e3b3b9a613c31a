import type { Command, Confirm, Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Question, Step } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/perform/change-record.ts';
import { asShown, eachMade } from '../../kinds/perform/read-back.ts';
import { shownBy } from '../../kinds/perform/shown-by.ts';
import { isUnderWay, linesOf, verbs } from '../../kinds/perform/summary.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { servers } from '../../resources/server.ts';
import { TagEntry, tags, tagsOf } from '../../resources/tag.ts';
import {
  entityParams,
  heldIn,
  type NamedEntity,
  readEntities,
  readEntry,
  refusePattern,
  type TaggedEntity,
} from './entity.ts';
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
      const steps: TagStep[] = [];
      for (const entity of await readEntities(context, argument)) {
        steps.push(stepOf(context, entity, await readEntry(context, entity), work));
      }
      if (!typed.include_reserved) for (const step of steps) refuseLoss(step);
      return {
        steps,
        finish: (changes, replies) =>
          eachMade(changes, (change, at) => seenAfter(context, steps[at] as TagStep, { change, reply: replies[at] })),
        ask: ask?.(steps),
        summarize: (changes) => ({
          lines: linesOf(steps, changes, { verb: verbs.update, details: tagDetails }),
          undo: steps.flatMap((step, at) => undoOf(step, changes[at] as Change, work)),
        }),
      };
    },
  });
}

type Tags = readonly string[];
type TagStep = Step & Tagging;

function stepOf(context: Context, { name, stack_id, ...id }: NamedEntity, entry: TaggedEntity, work: TagWork): TagStep {
  const held = heldIn(entry);
  const tagging = { id, name, stack_id, ...held, after: [...new Set(work.after(held))] };
  // All three writes respond with the entry.
  const observer = shownBy(tags.replace, async (read) => {
    const found = await read(tags.list, id);
    const now = heldIn(found);
    return areSameTags(now.before, work.after(now)) ? found : undefined;
  });
  return {
    ...tagging,
    change: 'updated',
    isIdle: areSameTags(held.before, tagging.after),
    basis: held.before,
    send: () => work.send(context, tagging, { observer }),
  };
}

function refuseLoss({ reserved, after }: Tagging): void {
  const lost = missingFrom(after, reserved);
  if (lost.length === 0) return;
  const which = lost.length > 1 ? `${lost.join(', ')} are` : `${lost[0]} is`;
  throw new Problem('rejected', `${which} reserved; nothing was changed`, { retry: { with: ['--include-reserved'] } });
}

/** A made change with the tags now: those in the response where they are as wanted, else read once more. */
async function seenAfter(
  context: Context,
  { id, name, after: wanted }: TagStep,
  { change, reply }: { readonly change: Change; readonly reply: unknown },
): Promise<Change> {
  const shown = (reply ?? {}) as Partial<TaggedEntity>;
  const isShown = shown.tags !== undefined && areSameTags(tagsOf(shown), wanted);
  const now = tagsOf(isShown ? shown : await readEntry(context, id));
  return asShown(context, change, { name, wanted, now, isWanted: areSameTags(now, wanted) });
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
  const isUndone =
    change.change === 'updated' && missingFrom(after, reserved).length === 0 && !areSameTags(before, after);
  return isUndone ? [{ ...work.undo({ name, before, after }), ...(stack_id !== undefined && { stack_id }) }] : [];
}
