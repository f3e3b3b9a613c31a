import { placeholder } from '../contract/values/shell-word.ts';
import { createProgress } from '../output/progress.ts';
import { canRedraw } from '../output/safe/redraw.ts';
import { writeStderrLine } from '../output/stderr-line.ts';
import { speaksJson, type View } from '../output/view.ts';
import type { App, Run } from './app.ts';
import { flagsOf } from './arguments/arguments.ts';
import type { TypedCommand } from './arguments/options.ts';
import { readWaitOptions } from './arguments/wait-options.ts';
import { openArguments, withoutValues } from './arguments/without-values.ts';
import { wantsColour } from './environment.ts';

/** A run of a line that was checked. Throws usage for limits that do not fit its command. */
export function openRun(known: Pick<Run, 'line' | 'app' | 'session' | 'view' | 'readText'>): Run {
  const { line, app, session, view } = known;
  const { dry_run, curl } = line.options;
  const run: Run = {
    ...known,
    limits: {
      dryRun: Boolean(dry_run || curl),
      ...readWaitOptions(line),
      reconcile: session.settings.get('reconcile').value === 'true',
    },
    say: sayOn(app, view),
    progress: createProgress({
      terminal: canRedraw(app.err, app.env),
      colour: wantsColour(session.settings.get('color'), app.env, app.err.terminal),
      quiet: view.quiet,
      json: isReadAsJson(view, app),
      err: app.err,
    }),
    recorded: () => withoutValues(withoutArguments(withoutKept(line), line), openArguments(line)),
    unsent: [],
    state: { forApproval: false, approved: [] },
    requireApproval: async (operation, input) => (await import('./approval.ts')).requireApproval(run, operation, input),
  };
  return run;
}

/** Scripts that read JSON read stderr as JSON too; at a terminal a person always sees the sandbox notice and the progress. */
export function isReadAsJson(view: View, { err }: Pick<App, 'err'>): boolean {
  return speaksJson(view) && !err.terminal;
}

function sayOn({ err, env, now }: App, view: View): Run['say'] {
  const json = isReadAsJson(view, { err });
  const warned = new Set<string>();
  const note = (line: string) => {
    if (!view.quiet) void writeStderrLine(err, 'note', line, json);
  };
  return {
    note,
    warn: (line) => {
      // A question and the change behind it find the same.
      if (!warned.has(line)) void writeStderrLine(err, 'warning', line, json);
      warned.add(line);
    },
    // On a terminal one progress line shows the status; in a log each change of it is a line of its own.
    changed: (line) => {
      if (!json && !canRedraw(err, env)) note(`${now().toISOString().slice(11, 19)} ${line}`);
    },
  };
}

function withoutKept({ argv, command }: TypedCommand): readonly string[] {
  // The service keeps them for their owner.
  const kept = flagsOf(command).flatMap(({ field, long }) => (field.sensitive ? [long] : []));
  return argv.map((word, at) => {
    const joined = kept.find((long) => word.startsWith(`${long}=`));
    if (joined) return `${joined}=***`;
    return kept.includes(argv[at - 1] ?? '') ? '***' : word;
  });
}

function withoutArguments(argv: readonly string[], { command }: TypedCommand): readonly string[] {
  const cut = argv.indexOf('--');
  if (command.output.kind !== 'program' || cut < 0) return argv;
  // The words behind the name of a program may be anything.
  return [...argv.slice(0, cut + 1), /^[\w./+-]+(?=\s|$)/.exec(argv[cut + 1] ?? '')?.[0] ?? placeholder];
}
