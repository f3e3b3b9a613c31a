import { type Command, commandWrites, type Runs, type Writes } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { rows } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/pattern.ts';
import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { Problem } from '../../errors/cli-error.ts';
import { underProgress } from '../context.ts';
import type { Run } from '../app.ts';
import { type Placed, readEach, withStack } from './read-stacks.ts';
import { namesSeveral, stackNames } from './stack-names.ts';

type PlaceStacks = () => Promise<readonly Placed[]>;

/**
 * The same over several stacks, which alone say where it acts. All of them are found first; a write is planned in all of
 * them before anybody is asked, and a read is done in at most eight at once. Every row of its flat list says of which
 * stack it is.
 */
export async function overStacks(run: Run): Promise<Run> {
  const { command, options, path } = run.line;
  const names = await stackNames(options, run.world.readText);
  const pattern = names.find(isPattern);
  if (pattern !== undefined && commandWrites(command)) {
    const message = `"${path}" needs exact names of stacks, not "${pattern}"; nothing was changed`;
    throw new Problem('usage', message, { hint: { path: 'stack list' } });
  }
  if (command.targets.stacks !== 'several') {
    throw new Problem('usage', `"${path}" acts on one stack at a time; give -s one name`);
  }
  let found: Promise<readonly Placed[]> | undefined;
  const placed = () => (found ??= placeAll(run, names));
  return { ...run, line: { ...run.line, command: commandOver(command, placed) } };
}

function commandOver(command: Command, placed: PlaceStacks): Command {
  const { does, output, targets } = command;
  if (does.kind === 'runs' && does.showsSeveral) return { ...command, does: together(does, placed) };
  const { kind, reply } = output;
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.place)),
    output: { kind: kind === 'change' ? 'change' : 'rows', reply: rows(withStack(reply?.record)) },
    does: does.kind === 'writes' ? planned(does, placed, targets.inTurn) : readEach(command, does, placed),
  };
}

function planned({ plan }: Writes, placed: PlaceStacks, inTurn: boolean): Writes {
  return {
    kind: 'writes',
    plan: async (context, input) => {
      const plans: StackPlan[] = [];
      for (const one of await placed()) {
        const { name, places } = one;
        const again = () => plan(context, { ...input, ...places });
        const own = await inStack(name, again());
        const { absent } = own;
        const uid = namesSeveral({ stack: name }) ? { uid: uidOf(one) } : {};
        plans.push({ ...uid, stack: name, plan: { ...own, absent: absent && (() => inStack(name, absent())) }, again });
      }
      return combinePlans(plans, inTurn && plans.length > 1);
    },
  };
}

function together({ run, watch, ...does }: Runs, placed: PlaceStacks): Runs {
  const findStacks = async () => (await placed()).map(uidOf);
  return {
    ...does,
    run: (context, input) => run(context, input, findStacks),
    watch: watch && ((context, input) => watch(context, input, findStacks)),
  };
}

async function placeAll(run: Run, names: readonly string[]): Promise<readonly Placed[]> {
  const { line, session, progress, say } = run;
  const match = (pattern: string) => progress.during(line.path, () => session.matchStacks(pattern));
  const exact: string[] = [];
  for (const name of names) exact.push(...(isPattern(name) ? await match(name) : [name]));
  const found = new Map<string, Placed>();
  for (const name of new Set(exact)) {
    const one = await placeOne(run, name);
    const same = found.get(uidOf(one));
    if (same) say.warn(`${name} is the same stack as ${same.name}; it counts once`);
    else found.set(uidOf(one), one);
  }
  if (found.size > 1) run.state.stackNames = new Map([...found].map(([uid, { name }]) => [uid, name]));
  return [...found.values()];
}

async function placeOne(run: Run, name: string): Promise<Placed> {
  const place = underProgress(run, run.session.place);
  const places: Record<string, unknown> = {};
  for (const [key, field] of Object.entries<Field>(run.line.command.params)) {
    if (field.place === 'stack') places[key] = await place(field, name, places);
    else if (field.place) places[key] = await inStack(name, place(field, undefined, places).catch(withListing));
  }
  return { name, places };
}

/** What is chosen in one stack is none of another. */
function withListing(error: unknown): never {
  const listing = error instanceof Problem ? error.details.retry?.unlessReading : undefined;
  if (!(error instanceof Problem) || !listing) throw error;
  const { retry: _, ...details } = error.details;
  throw new Problem(error.kind, error.message, { ...details, hint: listing });
}

function uidOf({ places }: Placed): string {
  return String(Object.values(places)[0]);
}

/** A mistake that was found before anything is done must say in which stack. */
async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if ([`${name}: `, `${name}/`].some((named) => error.message.startsWith(named))) throw error;
    throw new Problem(error.kind, `${name}: ${error.message}`, error.details);
  }
}
