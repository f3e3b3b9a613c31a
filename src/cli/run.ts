import {
  type Audience,
  type Command,
  type Context,
  callsOf,
  commandWrites,
  type Presentation,
} from '../contract/command.ts';
import type { Output } from '../contract/facts.ts';
import type { Field } from '../contract/field.ts';
import type { Outcome } from '../contract/plan.ts';
import { checkView } from '../output/columns.ts';
import { presentResult } from '../output/present-reply.ts';
import { checkJq, prepareOutput } from '../output/render.ts';
import { speaksJson, type View } from '../output/view.ts';
import { Problem } from '../problems/problem.ts';
import { readInput } from './arguments/input.ts';
import type { Run } from './arguments/invocation.ts';
import type { Options } from './arguments/options.ts';
import { refuseUnusedFlags } from './arguments/unused-flags.ts';
import { readView } from './arguments/view.ts';
import { wantsColour } from './colour.ts';
import { type ContextParts, confirmProtected, createContext } from './context.ts';
import { refuseReadOnly } from './read-only.ts';
import { contextParts, isReadAsJson, type RunContext } from './run-context.ts';
import { besideStacks, namesSeveral, refusePatterns, stackNames, withOnlyStack } from './stacks/stack-names.ts';
import { isStreamed, streamList } from './stream-list.ts';
import { type WatchMode, watchedOutput, watchModeOf } from './watch/watch-mode.ts';
import type { ErrorFormat, Session, World } from './world.ts';
import { showDryRun, showResult } from './write-result.ts';

/** Input, confirmation, the calls, and the one write to stdout. */
export async function runCommand(
  typed: Run,
  argv: readonly string[],
  world: World,
  format: ErrorFormat,
): Promise<void> {
  const run = { ...typed, options: await optionsOf(typed, world) };
  const readText = besideStacks(typed.options, world.readText);
  const session = await world.session(run.options);
  try {
    const view = viewOf(run, session, world);
    format.json = speaksJson(view) && (run.options.json === true || !world.err.terminal);
    await runInSession({ run, world, session, view, argv, readText });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { completeHint } = await import('./suggest/hint.ts');
    throw completeHint(session.explain(error), { run, destination: session.destination() });
  } finally {
    await session.close();
  }
}

/** A command of one stack takes the only one that a file or stdin names. */
async function optionsOf({ command, options }: Run, { readText }: World): Promise<Options> {
  const takesOne = command.targets.stacks !== 'several' && placesOf(command).has('stack');
  return takesOne ? withOnlyStack(options, readText) : options;
}

async function runInSession(current: RunContext): Promise<void> {
  const { run, world, session, view } = current;
  const { options, path } = run;
  checkPlaces(run.command, options, path);
  refuseUnusedFlags(run.command, options, path);
  const parts = contextParts(current);
  refuseReadOnly(run.command, undefined, parts);
  const command = namesSeveral(options) ? await forEachStack(current, parts) : run.command;
  const watch = watchModeOf(run, command, view, world);
  const output = chosenOutput(command, run.flags);
  checkView(watch ? watchedOutput(watch, output) : output, watch?.view ?? view);
  await checkJq(view);
  await printSandboxNotice(current);
  if (world.err.terminal) world.signal.addEventListener('abort', parts.progress.stop, { once: true });
  try {
    await session.againIfMoved(() => execute({ current, command, parts, watch }));
  } finally {
    parts.progress.stop();
  }
}

interface Runnable {
  readonly current: RunContext;
  readonly command: Command;
  readonly parts: ContextParts;
  readonly watch: WatchMode | undefined;
}

/** Reads the input, does what the command does, and shows it. */
async function execute({ current, command, parts, watch }: Runnable): Promise<void> {
  const { run, world, session, view, readText } = current;
  const { options, path } = run;
  const place = resolvePlaces(isRead(command) ? session.placeBeside : session.place, parts);
  const context = createContext(parts, place);
  const input = await readInput(command, {
    words: run.words,
    flags: run.flags,
    path: `stackops ${path.join(' ')}`,
    mayBeStack: options.stack === undefined,
    readText,
    place,
  });
  hideSecrets(command, input, world);
  prepareOutput(view);
  const execution = { command, context, input };
  const { does, output } = command;
  const { warn } = context;
  try {
    if (watch) {
      const { runWatch } = await import('./watch/watch.ts');
      const present = (value: unknown) => presented(execution, value, view).presentation;
      return await runWatch({ ...execution, parts, present }, watch);
    }
    if (does.kind === 'runs' && does.eachPage && isStreamed(view)) {
      const { eachPage } = does;
      return await streamList({ reply: output.reply, eachPage: (take) => eachPage(context, input, take) }, view, world);
    }
    const result = await resultOf(execution, parts);
    if (parts.unsent.length > 0) return await showDryRun(parts.unsent, options, view, world);
    await showResult({ session, warn, reply: output.reply, ...result }, view, world);
  } catch (error) {
    const partial = error instanceof Problem ? error.details.partial : undefined;
    if (partial) {
      const result = presented(execution, partial.value, view);
      await showResult({ session, warn, reply: command.output.reply, ...result }, withoutExpression(view), world);
    }
    throw error;
  }
}

function isRead({ does }: Command): boolean {
  return does.kind === 'runs' && does.isRead;
}

interface Execution {
  readonly command: Command;
  readonly context: Context;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a command yields, and how it is shown. */
interface Presented {
  readonly value: unknown;
  readonly presentation: Presentation;
}

async function resultOf(execution: Execution, parts: ContextParts): Promise<Presented> {
  const { command, context, input } = execution;
  const { does, confirm } = command;
  if (does.kind === 'writes') {
    const { runWrite } = await import('./run-write.ts');
    return presented(execution, await runWrite({ confirm, does, context, input }, parts), context.audience);
  }
  refuseReadOnly(command, input, parts);
  await confirmProtected(command, input, parts);
  return presented(execution, await does.run(context, input), context.audience);
}

/** The outcome of a write says itself how it is shown. */
function presented({ command, input }: Execution, result: unknown, audience: Audience): Presented {
  if (command.does.kind === 'runs') {
    return { value: result, presentation: presentResult(command, result, input, audience) };
  }
  const { data, ...said } = result as Outcome;
  return { value: data, presentation: { kind: 'done', ...said } };
}

/** What was typed as a credential is not shown again. */
function hideSecrets({ params }: Command, input: Readonly<Record<string, unknown>>, { redactor }: World): void {
  for (const [name, { secret, kept }] of Object.entries<Field>(params)) {
    const value = input[name];
    if (secret && !kept && typeof value === 'string') redactor.hide(value);
  }
}

/** A document is a table only with its flag. */
function chosenOutput({ output }: Command, flags: Run['flags']): Output {
  if (output.kind !== 'document') return output;
  const { reply, table, tableWith } = output;
  return flags[tableWith] === true ? { kind: 'rows', reply, table } : { kind: 'value', reply };
}

/** The command over several stacks; only their own flags say where it acts. */
async function forEachStack({ run, session, world }: RunContext, parts: ContextParts): Promise<Command> {
  const { checkSeveral, overStacks } = await import('./stacks/over-stacks.ts');
  const names = await stackNames(run.options, world.readText);
  if (commandWrites(run.command)) refusePatterns(names, run.path);
  checkSeveral(run.command, run.path);
  const { progress, label } = parts;
  return overStacks(run.command, {
    names,
    match: (pattern) => progress.during(label, () => session.matchStacks(pattern)),
    place: resolvePlaces(session.place, parts),
    warn: parts.writeOptions.warn,
  });
}

/** Names are looked up under the progress line. */
function resolvePlaces(place: Session['place'], { progress, label }: ContextParts): Session['place'] {
  return (field, word, placed) => progress.during(label, () => place(field, word, placed));
}

/** An expression is written for the reply that was hoped for; what came instead is shown whole. */
function withoutExpression({ jq: _jq, ...view }: View): View {
  return view;
}

function viewOf({ options, command }: Run, session: Session, world: World): View {
  const colour = wantsColour(session.settings.get('color'), world.env, world.out.terminal);
  // -q prints IDs of a list and nothing of a change, in whatever form is preferred.
  const isShort = options.quiet && ['rows', 'change'].includes(command.output.kind);
  const preferred = isShort ? undefined : session.settings.get('output').value;
  return readView(
    options,
    { output: preferred, csvRaw: session.settings.get('csv_raw').value === 'true', colour },
    world,
  );
}

const articled = { stack: 'a stack', 'server-group': 'a server group' } as const;

/** A place given by flag to a command that does not act there is a mistake, not a detail. */
function checkPlaces(command: Command, options: Options, path: readonly string[]): void {
  // What talks to no service acts nowhere; `config list -s shop --origin` shows how the flag wins.
  if (callsOf(command).length === 0) return;
  const places = placesOf(command);
  const given = [
    ['stack', '--stack', options.stack],
    ['server-group', '--server-group', options.serverGroup],
  ] as const;
  for (const [place, flag, value] of given) {
    if (value === undefined || places.has(place)) continue;
    throw new Problem('usage', `${flag} does not apply: "${path.join(' ')}" does not act on ${articled[place]}`, {
      retry: { without: [flag] },
    });
  }
}

function placesOf({ params }: Command): ReadonlySet<Field['place']> {
  return new Set(Object.values<Field>(params).map(({ place }) => place));
}

async function printSandboxNotice({ run: { command }, session, view, world }: RunContext): Promise<void> {
  // Settings, profiles and scripts of shells are real with --sandbox too.
  if (command.service === 'local') return;
  const line = session.sandboxNotice();
  if (line === undefined || view.quiet || isReadAsJson(view, world)) return;
  await world.err.lines([line]);
}
