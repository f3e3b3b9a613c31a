import { type Command, inputWrites } from '../contract/command.ts';
import type { Field } from '../contract/field.ts';
import { checkView } from '../output/columns.ts';
import { presentReply } from '../output/present-reply.ts';
import { createProgress } from '../output/progress.ts';
import { checkJq, prepareOutput, type Result, renderResult } from '../output/render.ts';
import { showsData, speaksJson, type View } from '../output/view.ts';
import { Problem } from '../problems/problem.ts';
import { wantsColour } from './colour.ts';
import { type ContextParts, confirmCommand, createContext } from './context.ts';
import { readInput } from './input.ts';
import type { Options } from './options.ts';
import type { Invocation } from './program.ts';
import type { Rehearsed } from './rehearsal.ts';
import { readView } from './view.ts';
import type { Session, Told, World } from './world.ts';

export type Run = Extract<Invocation, { kind: 'run' }>;

/** Input, confirmation, the calls, and the one write to stdout. */
export async function runCommand(run: Run, argv: readonly string[], world: World, told: Told): Promise<void> {
  const session = await world.session(run.options);
  try {
    const view = viewOf(run.options, session, world);
    told.json = speaksJson(view);
    await runInSession({ run, world, session, view });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { completeHint } = await import('./hint.ts');
    const repeatsValues = Object.values<Field>(run.command.params).some(({ repeats }) => repeats);
    throw completeHint(session.explain(error), { argv, options: run.options, repeatsValues });
  } finally {
    await session.close();
  }
}

interface Sitting {
  readonly run: Run;
  readonly world: World;
  readonly session: Session;
  readonly view: View;
}

async function runInSession({ run, world, session, view }: Sitting): Promise<void> {
  const { command, options, path } = run;
  checkView(command.reply, view);
  await checkJq(view);
  checkPlaces(command, options, path);
  await mark(session, view, world);
  const parts = contextParts(run, world, session);
  if (world.err.terminal) world.signal.addEventListener('abort', parts.progress.stop, { once: true });
  const context = createContext(parts);
  const input = await readInput(command, {
    words: run.words,
    flags: run.flags,
    path: `stackops ${path.join(' ')}`,
    readText: world.readText,
    place: (field, word, placed) => parts.progress.during(parts.label, () => session.place(field, word, placed)),
  });
  await confirmCommand(command, input, context, parts);
  prepareOutput(view);
  try {
    const value = await command.run(context, input);
    if (parts.rehearsed.length > 0) return await printRehearsal(parts.rehearsed, options, view, world);
    await print({ command, input, value }, view, world).catch((error: unknown) => {
      throw inputWrites(command, input) ? afterChange(error) : error;
    });
  } catch (error) {
    const partial = error instanceof Problem ? error.details.partial : undefined;
    if (partial) await print({ command, input, value: partial.value }, withoutExpression(view), world);
    throw error;
  } finally {
    parts.progress.stop();
  }
}

/** An expression is written for the reply that was hoped for; what came instead is shown whole. */
function withoutExpression({ jq: _jq, ...view }: View): View {
  return view;
}

/** Somebody who sees no result must not conclude that nothing was done. */
function afterChange(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  return new Problem(error.kind, `${error.message}; the change itself was made`, error.details);
}

function viewOf(options: Options, session: Session, world: World): View {
  const colour = wantsColour(session.settings.get('color'), world.env, world.out.terminal);
  return readView(options, session.settings.get('output').value, world, colour);
}

function contextParts(run: Run, world: World, session: Session): ContextParts {
  const { options, path } = run;
  return {
    world,
    session,
    options,
    progress: createProgress({
      terminal: world.err.terminal,
      width: world.err.width,
      colour: wantsColour(session.settings.get('color'), world.env, world.err.terminal),
      quiet: options.quiet ?? false,
      get stream() {
        return world.err.raw;
      },
    }),
    label: path.join(' '),
    limit: options.sort === undefined && options.limit !== undefined ? Number(options.limit) : undefined,
    say: (line) => void world.err.write(`${line}\n`),
    rehearsed: [],
  };
}

const articled = { stack: 'a stack', 'server-group': 'a server group', account: 'an account' } as const;

/** A place given by flag to a command that does not act there is a mistake, not a detail. */
function checkPlaces(command: Command, options: Options, path: readonly string[]): void {
  // What talks to no service acts nowhere; `config list -s shop --origin` shows how the flag wins.
  if (command.calls.length === 0) return;
  const places = new Set(Object.values<Field>(command.params).map(({ place }) => place));
  const given = [
    ['stack', '--stack', options.stack],
    ['server-group', '--server-group', options.serverGroup],
    ['account', '--account', options.account],
  ] as const;
  for (const [place, flag, value] of given) {
    if (value === undefined || places.has(place)) continue;
    throw new Problem('usage', `${path.join(' ')} does not act on ${articled[place]}; leave ${flag} out`);
  }
}

async function mark(session: Session, view: View, world: World): Promise<void> {
  const line = session.mark();
  if (line === undefined || view.quiet) return;
  // Scripts read stderr as one JSON error; people at a terminal shall always see where they are.
  if (speaksJson(view) && !world.err.terminal) return;
  await world.err.write(`${line}\n`);
}

interface Outcome {
  readonly command: Command;
  readonly input: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

async function print({ command, input, value }: Outcome, view: View, world: World): Promise<void> {
  const { reply, present } = command;
  const presentation = present ? present(value, input) : presentReply(reply ?? { envelope: 'opaque' }, value);
  await write({ value, presentation, ...(reply && { reply }) }, view, world);
}

async function write(result: Result, view: View, world: World): Promise<void> {
  // jq lets no event through while it runs; a signal shall end an expression that never comes to an end.
  if (view.jq !== undefined && !(await world.releaseSignals())) {
    throw new Problem('interrupted', 'interrupted before the --jq expression was run');
  }
  const { out, err } = await renderResult(result, view);
  if (out) await world.out.write(out);
  if (err) await world.err.write(err);
}

async function printRehearsal(
  rehearsed: readonly Rehearsed[],
  options: Options,
  view: View,
  world: World,
): Promise<void> {
  const { curlLine, hidesSecrets, rehearsalData, rehearsalText } = await import('./rehearsal.ts');
  if (options.curl) {
    if (!view.quiet && rehearsed.some(hidesSecrets)) await world.err.write('fill in what is shown as ***\n');
    return world.out.write(rehearsed.map(curlLine).join(''));
  }
  if (!showsData(view)) return world.out.write(rehearsed.map(rehearsalText).join('\n'));
  const data = await Promise.all(rehearsed.map(rehearsalData));
  const value: unknown = data.length === 1 ? data[0] : data;
  // A request is shown whole: what was chosen are fields and rows of its reply.
  const { fields: _fields, sort: _sort, limit: _limit, ...whole } = view;
  await write({ value, presentation: { kind: 'nothing' } }, whole, world);
}
