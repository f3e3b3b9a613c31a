import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { type Command, commandWrites, type Runs, type Writes } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { rows } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/pattern.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Run } from '../app.ts';
import { underProgress } from '../context.ts';
import { type ResolvedStack, readEach, withStack } from './read-stacks.ts';
import { namesSeveral, stackNames } from './stack-names.ts';

type ResolveStacks = () => Promise<readonly ResolvedStack[]>;

/**
 * The same over several stacks, which alone say where it acts. All of them are found first; a write is planned in all of
 * them before anybody is asked, and a read is done in at most eight at once. Every row of its flat list says of which
 * stack it is.
 */
export async function overStacks(run: Run): Promise<Run> {
  const { command, options, path } = run.line;
  const names = await stackNames(options, run.app.readText);
  const pattern = names.find(isPattern);
  if (pattern !== undefined && commandWrites(command)) {
    const message = `"${path}" needs exact names of stacks, not "${pattern}"`;
    throw new CliError('usage', message, { nothing: 'changed', hint: { path: 'stack list' } });
  }
  if (command.targets.stacks !== 'several') {
    throw new CliError('usage', `"${path}" acts on one stack at a time; give -s one name`);
  }
  let found: Promise<readonly ResolvedStack[]> | undefined;
  const placed = () => (found ??= resolveStacks(run, names));
  return { ...run, line: { ...run.line, command: commandOver(command, placed) } };
}

function commandOver(command: Command, placed: ResolveStacks): Command {
  const { handler, output, targets } = command;
  if (handler.kind === 'runs' && handler.showsSeveral) return { ...command, handler: together(handler, placed) };
  const { kind, reply } = output;
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.target)),
    output: { kind: kind === 'change' ? 'change' : 'rows', reply: rows(withStack(reply?.record)) },
    handler: handler.kind === 'writes' ? planned(handler, placed, targets.inTurn) : readEach(command, handler, placed),
  };
}

function planned({ plan }: Writes, placed: ResolveStacks, inTurn: boolean): Writes {
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

function together({ run, watch, ...handler }: Runs, placed: ResolveStacks): Runs {
  const findStacks = async () => (await placed()).map(uidOf);
  return {
    ...handler,
    run: (context, input) => run(context, input, findStacks),
    watch: watch && ((context, input) => watch(context, input, findStacks)),
  };
}

async function resolveStacks(run: Run, names: readonly string[]): Promise<readonly ResolvedStack[]> {
  const { line, session, progress, say } = run;
  const match = (pattern: string) => progress.during(line.path, () => session.matchStacks(pattern));
  const exact: string[] = [];
  for (const name of names) exact.push(...(isPattern(name) ? await match(name) : [name]));
  const found = new Map<string, ResolvedStack>();
  for (const name of new Set(exact)) {
    const one = await resolveStack(run, name);
    const same = found.get(uidOf(one));
    if (same) say.warn(`${name} is the same stack as ${same.name}; it counts once`);
    else found.set(uidOf(one), one);
  }
  if (found.size > 1) run.state.stackNames = new Map([...found].map(([uid, { name }]) => [uid, name]));
  return [...found.values()];
}

async function resolveStack(run: Run, name: string): Promise<ResolvedStack> {
  const place = underProgress(run, run.session.resolveTarget);
  const places: Record<string, unknown> = {};
  for (const [key, field] of Object.entries<Field>(run.line.command.params)) {
    if (field.target === 'stack') places[key] = await place(field, name, places);
    else if (field.target) places[key] = await inStack(name, place(field, undefined, places).catch(withListing));
  }
  return { name, places };
}

/** What is chosen in one stack is none of another. */
function withListing(error: unknown): never {
  throw error instanceof CliError ? error.with({ correction: undefined }) : error;
}

function uidOf({ places }: ResolvedStack): string {
  return String(Object.values(places)[0]);
}

/** A mistake that was found before anything is done must say in which stack. */
async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.details.stack !== undefined) throw error;
    throw new CliError(error.kind, `${name}: ${error.message}`, { ...error.details, stack: name });
  }
}
