import { placeholder } from '../contract/values/text.ts';
import { createProgress, writeStderrLine } from '../output/progress.ts';
import { canRedraw } from '../output/safe/create-output.ts';
import { hasJsonFormat, type View } from '../output/view.ts';
import type { App, Run } from './app.ts';
import { flagsOf } from './arguments/arguments.ts';
import { publicArguments, readWaitOptions, withoutValues } from './arguments/flags.ts';
import type { TypedCommand } from './arguments/options.ts';
import { wantsColour } from './host.ts';

/** Creates the run of a checked command line. Throws `usage` for wait options that its command does not take. */
export function openRun(parts: Pick<Run, 'line' | 'app' | 'session' | 'view' | 'readText'>): Run {
  const { line, app, session, view } = parts;
  const waitOptions = readWaitOptions(line);
  const run: Run = {
    ...parts,
    writeOptions: {
      dryRun: Boolean(line.options.dry_run || line.options.curl),
      ...waitOptions,
      ...(app.call && { timeoutMs: Math.min(waitOptions.timeoutMs, maxCallWaitMs) }),
      reconcile: session.settings.get('reconcile').value === 'true',
    },
    say: createSay(app, view),
    progress: createProgress({
      terminal: canRedraw(app.err, app.env),
      colour: wantsColour(session.settings.get('color'), app.env, app.err.terminal),
      quiet: view.quiet,
      json: isStderrJson(view, app),
      err: app.err,
    }),
    argvForJournal: () =>
      withoutValues(withoutProgramArguments(withoutSensitiveValues(line), line), publicArguments(line)),
    // In `stackops mcp` no one can type a name. An approve_command of the profile replaces the typed name.
    isProtected: () =>
      session.settings.get('protected').value === 'true' &&
      !(app.call && session.settings.get('approve_command').value !== undefined),
    unsentRequests: [],
    state: { isCollectingForApproval: false, approved: new Map() },
    requireApproval: async (operation, input) => (await import('./approval.ts')).requireApproval(run, operation, input),
  };
  return run;
}

/** The longest wait in `stackops mcp`: its clients do not wait longer for an answer. */
const maxCallWaitMs = 600_000;

/** True if lines on stderr are JSON, as the output is. On a terminal they are text. */
export function isStderrJson(view: View, { err }: Pick<App, 'err'>): boolean {
  return hasJsonFormat(view) && !err.terminal;
}

function createSay({ err, env, now, call }: App, view: View): Run['say'] {
  const json = isStderrJson(view, { err });
  const warnedLines = new Set<string>();
  const note = (line: string) => {
    if (!view.quiet) void writeStderrLine(err, 'note', line, json);
  };
  return {
    note,
    warn: (line) => {
      // A plan that is made again after a question may repeat its warnings. They are printed once.
      if (!warnedLines.has(line)) void writeStderrLine(err, 'warning', line, json);
      warnedLines.add(line);
    },
    // A terminal shows the status in the progress line; a log gets a line for each change.
    noteStatus: (line) => {
      if (call?.tellsProgress) void writeStderrLine(err, 'progress', line, true);
      else if (!json && !canRedraw(err, env)) note(`${now().toISOString().slice(11, 19)} ${line}`);
    },
  };
}

function withoutSensitiveValues({ argv, command }: TypedCommand): readonly string[] {
  // The journal must not store private values, such as environment variables.
  const sensitiveFlags = flagsOf(command).flatMap(({ field, long }) => (field.sensitive ? [long] : []));
  return argv.map((word, at) => {
    const joinedFlag = sensitiveFlags.find((long) => word.startsWith(`${long}=`));
    if (joinedFlag) return `${joinedFlag}=***`;
    return sensitiveFlags.includes(argv[at - 1] ?? '') ? '***' : word;
  });
}

function withoutProgramArguments(argv: readonly string[], { command }: TypedCommand): readonly string[] {
  const dashesAt = argv.indexOf('--');
  if (command.output.kind !== 'program' || dashesAt < 0) return argv;
  // The journal keeps only the name of a program: its arguments may be secret.
  return [...argv.slice(0, dashesAt + 1), /^[\w./+-]+(?=\s|$)/.exec(argv[dashesAt + 1] ?? '')?.[0] ?? placeholder];
}
