import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { type Command, commandWrites, type Runs, type Writes } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import type { StackPlan } from '../../contract/plan.ts';
import { rows } from '../../contract/reply.ts';
import { isPattern } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Run } from '../app.ts';
import { underProgress } from '../context.ts';
import { type ResolvedStack, readEach, withStack } from './read-stacks.ts';
import { namesSeveral, stackNames } from './stack-names.ts';

type ResolveStacks = () => Promise<readonly ResolvedStack[]>;

/**
 * Replaces the command by its version for several stacks. All stacks are resolved first. A write is planned in all of
 * them before any question; a read runs in at most eight at once, and every row names its stack.
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
  const resolved = () => (found ??= resolveStacks(run, names));
  return { ...run, line: { ...run.line, command: commandOver(command, resolved) } };
}

function commandOver(command: Command, resolved: ResolveStacks): Command {
  const { handler, output, targets } = command;
  if (handler.kind === 'runs' && handler.showsSeveral) return { ...command, handler: together(handler, resolved) };
  const { kind, reply } = output;
  return {
    ...command,
    params: Object.fromEntries(Object.entries<Field>(command.params).filter(([, field]) => !field.target)),
    output: { kind: kind === 'change' ? 'change' : 'rows', reply: rows(withStack(reply?.record)) },
    handler:
      handler.kind === 'writes' ? planned(handler, resolved, targets.inTurn) : readEach(command, handler, resolved),
  };
}

function planned({ plan }: Writes, resolved: ResolveStacks, inTurn: boolean): Writes {
  return {
    kind: 'writes',
    plan: async (context, input) => {
      const plans: StackPlan[] = [];
      for (const one of await resolved()) {
        const { name, targets } = one;
        const again = () => plan(context, { ...input, ...targets });
        const own = await inStack(name, again());
        const { absent } = own;
        const uid = namesSeveral({ stack: name }) ? { uid: uidOf(one) } : {};
        plans.push({ ...uid, stack: name, plan: { ...own, absent: absent && (() => inStack(name, absent())) }, again });
      }
      return combinePlans(plans, inTurn && plans.length > 1);
    },
  };
}

function together({ run, watch, ...handler }: Runs, resolved: ResolveStacks): Runs {
  const findStacks = async () => (await resolved()).map(uidOf);
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
  const resolve = underProgress(run, run.session.resolveTarget);
  const targets: Record<string, unknown> = {};
  for (const [key, field] of Object.entries<Field>(run.line.command.params)) {
    if (field.target === 'stack') targets[key] = await resolve(field, name, targets);
    else if (field.target) targets[key] = await inStack(name, resolve(field, undefined, targets).catch(withListing));
  }
  return { name, targets };
}

/** A correction for one stack would not fit the others. */
function withListing(error: unknown): never {
  throw error instanceof CliError ? error.with({ correction: undefined }) : error;
}

function uidOf({ targets }: ResolvedStack): string {
  return String(Object.values(targets)[0]);
}

/** An error before the first change names its stack. */
async function inStack<Value>(name: string, work: Promise<Value> | Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError) || error.details.stack !== undefined) throw error;
    throw error.with({ stack: name }, `${name}: ${error.message}`);
  }
}
