import { fieldAt } from '../output/field-path.ts';
import { canRedraw } from '../output/gate/redraw.ts';
import { createProgress } from '../output/progress.ts';
import { writeStderrLine } from '../output/stderr-line.ts';
import { speaksJson, type View } from '../output/view.ts';
import { matching } from '../output/where.ts';
import { flagsOf } from './arguments/arguments.ts';
import type { Run } from './arguments/invocation.ts';
import type { Options } from './arguments/options.ts';
import { readWaitOptions } from './arguments/wait-options.ts';
import { openWords, withoutValues } from './arguments/without-values.ts';
import { wantsColour } from './colour.ts';
import type { ContextParts } from './context.ts';
import type { Session, World } from './world.ts';

/** One run of one command. */
export interface RunContext {
  readonly run: Run;
  readonly world: World;
  readonly session: Session;
  readonly view: View;
  readonly argv: readonly string[];
  /** As that of the world, but for stdin where it names the stacks. */
  readonly readText: World['readText'];
}

/** Scripts that read JSON read stderr as JSON too; at a terminal a person always sees the sandbox notice and the progress. */
export function isReadAsJson(view: View, { err }: World): boolean {
  return speaksJson(view) && !err.terminal;
}

export function contextParts({ run, world, session, argv, view, readText }: RunContext): ContextParts {
  const { options, path } = run;
  const json = isReadAsJson(view, world);
  const progress = createProgress({
    terminal: canRedraw(world.err, world.env),
    colour: wantsColour(session.settings.get('color'), world.env, world.err.terminal),
    quiet: view.quiet,
    json,
    err: world.err,
  });
  const warned = new Set<string>();
  const say: ContextParts['say'] = (kind, line) => {
    // A question and the change behind it find the same.
    if (kind === 'warning' && warned.has(line)) return;
    warned.add(line);
    void writeStderrLine(world.err, kind, line, json);
  };
  return {
    world,
    session,
    options,
    readText,
    progress,
    label: path.join(' '),
    asks: run.command.confirm,
    audience: view,
    limit: readsUpToLimit(options) ? Number(options.limit) : undefined,
    matching: keptBy(view),
    say,
    unsent: [],
    writeOptions: {
      label: path.join(' '),
      command: withoutValues(withoutKept(argv, run), openWords(run)),
      ...readWaitOptions(run.command, options, path),
      reconcile: session.settings.get('reconcile').value === 'true',
      during: progress.during,
      // On a terminal one progress line shows the status; in a log each change of it is a line of its own.
      changed: (line) => {
        if (view.quiet || json || canRedraw(world.err, world.env)) return;
        say('note', `${world.now().toISOString().slice(11, 19)} ${line}`);
      },
      warn: (line) => say('warning', line),
    },
  };
}

/** Of several stacks, a filter may be about the column of their names. */
function keptBy({ where }: View): ContextParts['matching'] {
  return (rows, fields) =>
    matching(
      rows,
      fields,
      where?.filter(({ path }) => fieldAt(fields, path)),
    );
}

/** Sorting and filtering need all rows before the limit. */
function readsUpToLimit({ limit, sort, where }: Options): boolean {
  return limit !== undefined && sort === undefined && where === undefined;
}

/** The journal leaves out values of flags that the service keeps for their owner. */
function withoutKept(argv: readonly string[], { command }: Run): readonly string[] {
  const kept = flagsOf(command).flatMap(({ field, long }) => (field.kept ? [long] : []));
  return argv.map((word, at) => {
    const joined = kept.find((long) => word.startsWith(`${long}=`));
    if (joined) return `${joined}=***`;
    return kept.includes(argv[at - 1] ?? '') ? '***' : word;
  });
}
