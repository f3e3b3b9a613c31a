import type { Command, Confirm, Context } from '../../contract/command.ts';
import { type Fields, flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, ObservedChange, Plan, Question, Step, Summary } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/change-record.ts';
import { readBack } from '../../kinds/read-back.ts';
import { shownBy } from '../../kinds/shown-by.ts';
import { isUnderWay, linesOf, verbs } from '../../kinds/summary.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { servers } from '../../resources/server.ts';
import { TagEntry, tags, tagsOf } from '../../resources/tag.ts';
import { isSame, missingFrom, tagsText } from './difference.ts';
import { type Entry, entityParams, heldIn, type NamedEntity, readEntities, readEntry } from './entity.ts';
import type { Tagging, TagWork } from './work.ts';

interface ChangeTags<P extends Fields> {
  readonly about: string;
  /** What it takes besides the entities. */
  readonly params: P;
  readonly positionals?: readonly string[];
  readonly examples: readonly string[];
  /** The operations that it may send. */
  readonly sends: readonly Operation[];
  readonly confirm: Confirm;
  readonly ask: (all: readonly Tagging[]) => Question | undefined;
  readonly work: (input: Values<P> & TagInput) => TagWork;
}

interface TagInput {
  readonly include_reserved?: boolean;
}

const include_reserved = optional(flag('Remove reserved tags too; asks first, and nothing makes them reserved again.'));
const { entity_type, entity_id } = TagEntry.fields;
const record = changeRecord({ entity_type, entity_id }, { before: many(text('Tag.'), 'Tags.') });

/** Changes the tags of each entity that does not have them yet; all of them are read before the first is changed. */
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
      const work = workOf(typed);
      const steps: TagStep[] = [];
      for (const entity of await readEntities(context, String(input['entity']))) {
        steps.push(stepOf(context, entity, await readEntry(context, entity), work));
      }
      if (!typed.include_reserved) for (const step of steps) refuseLoss(step);
      return { steps, ask: ask(steps), summarize: (changes) => summarizeTags(steps, changes, work) };
    },
  });
}

type TagStep = Step & Tagging;

function stepOf(context: Context, { name, stack_id, ...id }: NamedEntity, entry: Entry, work: TagWork): TagStep {
  const held = heldIn(entry);
  const tagging = { id, name, stack_id, ...held, after: [...new Set(work.after(held))] };
  // All three writes are answered by the entry.
  const observer = shownBy(tags.replace, async (read) => {
    const found = await read(tags.list, id);
    const now = heldIn(found);
    return isSame(now.before, work.after(now)) ? found : undefined;
  });
  return {
    ...tagging,
    change: 'updated',
    isIdle: isSame(held.before, tagging.after),
    basis: held.before,
    send: () => work.send(context, tagging, { observer }),
    done: (reply: Partial<Entry>) => seenAfter(context, tagging, reply),
  };
}

function refuseLoss({ reserved, after }: Tagging): void {
  const lost = missingFrom(after, reserved);
  if (lost.length === 0) return;
  const which = lost.length > 1 ? `${lost.join(', ')} are` : `${lost[0]} is`;
  throw new Problem('rejected', `${which} reserved; nothing was changed`, { retry: { with: ['--include-reserved'] } });
}

/** A reply without tags is proof that they were written; one read shows which there are. */
async function seenAfter(
  context: Context,
  { id, name, after }: Tagging,
  reply: Partial<Entry>,
): Promise<ObservedChange> {
  if (context.dryRun) return {};
  const isShown = reply.tags !== undefined;
  const entry = isShown ? reply : await readBack(context, () => readEntry(context, id), `the tags of ${name}`);
  if (!entry) return {};
  const now = tagsOf(entry);
  if (!isSame(now, after)) context.warn(`${name} now shows ${tagsText(now)}`);
  return { after: now };
}

function summarizeTags(steps: readonly TagStep[], changes: readonly Change[], work: TagWork): Summary {
  const said = changes.flatMap((change, at) => {
    const step = steps[at];
    return step ? [summarizeTag(step, change, work)] : [];
  });
  return { lines: said.flatMap(({ lines }) => lines), undo: said.flatMap(({ undo = [] }) => undo) };
}

/** Nothing makes a tag reserved again. */
function summarizeTag(step: TagStep, change: Change, work: TagWork): Summary {
  const before = change.before as readonly string[];
  const after = change.after as readonly string[];
  const lost = missingFrom(after, step.reserved);
  const details = () => {
    if (change.change === 'unchanged') return [tagsText(before)];
    const loss = `; no undo: ${lost.join(', ')} ${lost.length > 1 ? 'were' : 'was'} reserved`;
    return isUnderWay(change) ? [`${tagsText(before)} -> ${tagsText(after)}${lost.length > 0 ? loss : ''}`] : [];
  };
  const isUndone = change.change === 'updated' && lost.length === 0 && !isSame(before, after);
  const { name, stack_id } = step;
  const undo = { ...work.undo({ name, before, after }), ...(stack_id !== undefined && { stack_id }) };
  return { lines: linesOf([step], [change], { verb: verbs.update, details }), undo: isUndone ? [undo] : [] };
}
