import { changeEach } from '../../batch/change-each.ts';
import type { Context, Presentation } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import { actionOf, actionWords } from '../../resources/action.ts';
import { tagsOf } from '../../resources/tag.ts';
import { queuedBy } from '../queued-change.ts';
import {
  type Entity,
  type Entry,
  failedEntry,
  type Named,
  readEntry,
  reservedOf,
  type TaggedEntity,
} from './entity.ts';

export interface Difference {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface TagWork {
  /** The tags that are wanted; throws where the reserved ones forbid it. */
  readonly after: (tags: Held) => readonly string[];
  readonly write: (entity: Entity, change: Held & Difference) => Promise<Entry>;
  /** The command that undoes it, but for its stack. */
  readonly undo: (name: string, difference: Difference) => CommandLine;
}

/** The tags of an entity before its change. */
export interface Held {
  readonly before: readonly string[];
  /** Those among them that the service keeps for itself. */
  readonly reserved: readonly string[];
}

const aside = Symbol('aside');
/** What the sentence tells; JSON shows the entry as the service sends it, and nothing that stands behind a symbol. */
interface Aside {
  readonly line: string;
  readonly undo?: CommandLine | undefined;
  /** The tags were like that already. */
  readonly isIdle?: true;
}
type Tagged = Partial<Entry> & Partial<Pick<TaggedEntity, 'error'>> & { readonly [aside]?: Aside };
/** The entry of the one entity, or a list of those of several. */
export type TaggedOrSeveral = Tagged | readonly Tagged[];

/** Changes the tags of each entity that has not got them yet; all of them are read before the first is changed. */
export async function changeTags(
  context: Context,
  entities: readonly Named[],
  work: TagWork,
): Promise<TaggedOrSeveral> {
  const steps: Step[] = [];
  for (const entity of entities) steps.push(stepOf(entity, await readEntry(context, entity), work));
  const isOne = steps.length === 1;
  const changes = await changeEach<Step, Tagged>(context, steps, {
    nameOf: ({ entity }) => entity.name,
    act: async (step) => {
      const changed = await change(context, step, work);
      return isOne ? changed : { ...changed, error: null };
    },
    wasIdle: (tagged) => tagged[aside]?.isIdle ?? false,
    undone: ({ entity }, error, seen) => {
      const action = actionOf(seen);
      const how = error ? 'failed' : 'not tried';
      const line = `${entity.name} ${action ? actionWords(action) : how}`;
      return { ...failedEntry(entity, error), ...(action && { action }), [aside]: { line } };
    },
  });
  return isOne ? (changes[0] ?? {}) : changes;
}

interface Step {
  readonly entity: Named;
  readonly entry: Entry;
  readonly held: Held;
  readonly asked: readonly string[];
}

function stepOf(entity: Named, entry: Entry, { after }: TagWork): Step {
  const held = { before: tagsOf(entry), reserved: reservedOf(entry) };
  return { entity, entry, held, asked: [...new Set(after(held))] };
}

async function change(context: Context, { entity, entry, held, asked }: Step, work: TagWork): Promise<Tagged> {
  const { name, entity_type, entity_id } = entity;
  const { before } = held;
  if (isSame(before, asked))
    return { ...entry, [aside]: { line: `${name} unchanged (${shown(before)})`, isIdle: true } };
  const reply = await work.write({ entity_type, entity_id }, { ...held, after: asked });
  const action = queuedBy(reply);
  if (action) {
    const line = `${name}: ${shown(before)} -> ${shown(asked)}: ${actionWords(action)}`;
    return { ...reply, [aside]: { line } };
  }
  const answer = await seen(context, entity, reply);
  const now = answer.tags === undefined ? asked : tagsOf(answer);
  if (!context.dryRun && !isSame(now, asked)) context.warn(`${name} now shows ${shown(now)}`);
  return { ...answer, [aside]: outcomeOf({ entity, held, now }, work) };
}

interface Changed extends Pick<Step, 'entity' | 'held'> {
  readonly now: readonly string[];
}

/** Nothing makes a tag reserved again. */
function outcomeOf({ entity: { name, stack_id }, held: { before, reserved }, now }: Changed, { undo }: TagWork): Aside {
  const line = `${name}: ${shown(before)} -> ${shown(now)}`;
  const lost = missingFrom(now, reserved);
  if (lost.length > 0)
    return { line: `${line} (no undo: ${lost.join(', ')} ${lost.length > 1 ? 'were' : 'was'} reserved)` };
  if (isSame(before, now)) return { line };
  return { line, undo: { ...undo(name, { before, after: now }), ...(stack_id !== undefined && { stack_id }) } };
}

/** Those of the wanted that are not there. */
export function missingFrom(there: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((tag) => !there.includes(tag));
}

/** An answer without tags is proof that they were written; one read shows which there are. */
async function seen(context: Context, entity: Named, answer: Partial<Entry>): Promise<Partial<Entry>> {
  if (answer.tags !== undefined) return answer;
  try {
    return await readEntry(context, entity);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    context.warn(`${entity.name} was changed, but could not be read back: ${error.message}`);
    return answer;
  }
}

/** The order of tags means nothing. */
function isSame(before: readonly string[], asked: readonly string[]): boolean {
  const [one, other] = [new Set(before), new Set(asked)];
  return one.size === other.size && [...one].every((tag) => other.has(tag));
}

function shown(values: readonly string[]): string {
  return values.join(', ') || 'no tags';
}

/** Back to exactly the tags there were. */
export function backToBefore(name: string, { before }: Difference): CommandLine {
  return before.length === 0
    ? { path: 'tags clear', operands: [name] }
    : { path: 'tags set', operands: [name, ...before] };
}

/** `server/3f2a…: web, eu -> web, eu, new` */
export function presentTagged(found: TaggedOrSeveral): Presentation {
  const told = (isSeveral(found) ? found : [found]).flatMap((entry) => entry[aside] ?? []);
  const undo = told.flatMap((each) => (each.undo === undefined ? [] : [each.undo]));
  return { kind: 'done', lines: told.map(({ line }) => line), undo };
}

function isSeveral(found: TaggedOrSeveral): found is readonly Tagged[] {
  return Array.isArray(found);
}
