import { type Context, writesWithInput } from '../contract/command.ts';
import type { Field, Input } from '../contract/field.ts';
import { filterRecordType } from '../contract/metadata.ts';
import type { Outcome } from '../contract/plan.ts';
import { CliError, type ErrorKind } from '../errors/cli-error.ts';
import { resolveView } from '../output/columns.ts';
import { checkJq, preloadTable } from '../output/render.ts';
import { presentResult, type Result } from '../output/result.ts';
import { hasDataFormat, hasJsonFormat } from '../output/view.ts';
import { originText } from '../settings/table.ts';
import type { App, ErrorFormat, Run } from './app.ts';
import { refuseUnusedFlags } from './arguments/flags.ts';
import { readInput } from './arguments/input.ts';
import type { Invocation, TypedCommand } from './arguments/options.ts';
import { readInvocation } from './arguments/read-line.ts';
import { outputOf, readView } from './arguments/view.ts';
import { confirmationFor, createContext, resolveUnderProgress } from './context.ts';
import { findAgentVariable } from './host.ts';
import { isStderrJson, openRun } from './open-run.ts';
import { namesSeveralStacks, reserveStdinForStacks, withOnlyStack } from './stacks/stack-names.ts';
import type { WatchMode } from './watch/watch-mode.ts';
import { isStreamed, showResult, streamList } from './write-result.ts';

/** `typedInvocation` lacks the flags that `stackops mcp` adds. A thrown CliError has a printable hint. */
export async function runCommand(
  invokedCommand: TypedCommand,
  app: App,
  errorFormat: ErrorFormat,
  typedInvocation: Invocation,
): Promise<void> {
  const line = await withOnlyStack(invokedCommand, app.readText);
  const session = await app.session(line.options);
  try {
    const view = readView(line, session.settings, app);
    errorFormat.json = hasJsonFormat(view) && (line.options.json === true || !app.err.terminal);
    refuseUnusedFlags(line);
    const readText = reserveStdinForStacks(invokedCommand.options, app.readText);
    await checkAndExecute(openRun({ line, app, session, view, readText }));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { completeHint } = await import('./suggest/hint.ts');
    const { kind, details } = error;
    if (details.hint ?? details.correction ?? details.unknownField)
      await session.verifyDefaultStack(!unreachableKinds.includes(kind));
    throw await completeHint(session.explainError(error), {
      line: app.call && typedInvocation.kind === 'run' ? typedInvocation : line,
      destination: session.destination(),
      read: (words) => readInvocation(words, app),
    });
  } finally {
    await session.close();
  }
}

/** After an error of these kinds no name is looked up, because the service would not answer. */
const unreachableKinds: readonly ErrorKind[] = ['unavailable', 'unauthenticated', 'interrupted'];

async function checkAndExecute(typedRun: Run): Promise<void> {
  refuseIfReadOnly(typedRun);
  (await loadAgentRules(typedRun))?.assertAgentAllowed(typedRun);
  const run = namesSeveralStacks(typedRun.line.options)
    ? await (await import('./stacks/over-stacks.ts')).forSeveralStacks(typedRun)
    : typedRun;
  const { line, app, session, progress } = run;
  const mode = 'watch' in line.command.params ? (await import('./watch/watch-mode.ts')).watchModeOf(run) : undefined;
  const view = await resolveView(mode?.output ?? outputOf(line), mode?.view ?? run.view, line.command.revealed);
  await checkJq(view);
  await printSandboxNotice(run);
  if (app.err.terminal) app.signal.addEventListener('abort', progress.stop, { once: true });
  try {
    await session.retryIfStale(() => executeRun(mode ? run : { ...run, view }, mode && { ...mode, view }));
  } finally {
    progress.stop();
  }
}

async function executeRun(run: Run, watchMode: WatchMode | undefined): Promise<void> {
  const { line, session, view, readText } = run;
  const { handler, output } = line.command;
  const isRead = handler.kind === 'runs' && handler.isRead;
  const resolveTarget = resolveUnderProgress(run, isRead ? session.resolveUnverifiedTarget : session.resolveTarget);
  const context = createContext(run, resolveTarget);
  const input = await readInput(line, { resolveTarget, readText });
  hideInputSecrets(run, input);
  preloadTable(view);
  try {
    if (watchMode) {
      run.state.waitingSinceMs = run.app.elapsed();
      const watched = await watchMode.watch(context, input);
      const liveRun = { ...run, view: watchMode.view };
      if (watchMode.kind === 'lines') return await (await import('./watch/changes.ts')).printChanges(liveRun, watched);
      const { redrawScreen } = await import('./watch/screen.ts');
      return await redrawScreen(liveRun, watched, (value) => presentValue(run, input, value));
    }
    if (handler.kind === 'runs' && handler.eachPage && isStreamed(view)) {
      const { eachPage, present } = handler;
      const presentEmpty = present && (() => present([], input, view));
      return await streamList(run, output.reply, (take) => eachPage(context, input, take), presentEmpty);
    }
    const value = await runHandler(run, context, input);
    if (run.unsentRequests.length > 0) return await showUnsentRequests(run);
    const result = presentValue(run, input, value);
    (await loadAgentRules(run))?.assertNoSecretGiven(run, result);
    const isEmptyResult = value === undefined && result.reply === undefined && result.presentation.kind === 'nothing';
    if (!isEmptyResult && !printsEvents(run)) await showResult(withoutServerFilter(run), result);
    await notifyIfLong(run, result);
  } catch (error) {
    if (error instanceof CliError) await showPartialResult(run, input, error);
    throw error;
  }
}

async function showUnsentRequests(run: Run): Promise<void> {
  if (run.app.call) await (await import('./approval.ts')).reportPlan(run);
  return (await import('./dry-run.ts')).showDryRun(run);
}

async function showPartialResult(run: Run, input: Input, error: CliError): Promise<void> {
  const { partial } = error.details;
  const result = partial && presentValue(run, input, partial.value);
  if (result && !printsEvents(run)) {
    // The --jq expression expects the result of a success, so a partial result is printed whole.
    await showResult(withoutServerFilter({ ...run, view: { ...run.view, jq: undefined } }), result);
  }
  await notifyIfLong(run, result, error);
}

/** Removes a --where that has selected the servers of the run, so that it does not filter the results, too. */
function withoutServerFilter(run: Run): Run {
  return filterRecordType(run.line.command.output) ? { ...run, view: { ...run.view, where: undefined } } : run;
}

function printsEvents({ line, view }: Run): boolean {
  return 'events' in line.command.output && hasDataFormat(view);
}

async function notifyIfLong(run: Run, result: Result | undefined, error?: CliError): Promise<void> {
  if (run.state.waitingSinceMs !== undefined) await (await import('./notify.ts')).notifyEnd(run, result, error);
}

async function runHandler(run: Run, context: Context, input: Input): Promise<unknown> {
  const { command } = run.line;
  const { handler } = command;
  (await loadAgentRules(run))?.assertAgentAllowed(run, input);
  if (handler.kind === 'writes') return (await import('./run-write.ts')).runWrite(run, handler, context, input);
  refuseIfReadOnly(run, input);
  const isUnconfirmedChange = !command.confirm && writesWithInput(command, input);
  const confirmation = isUnconfirmedChange && !run.writeOptions.dryRun ? confirmationFor(run, input) : undefined;
  if (confirmation) await (await import('./confirm.ts')).confirm(run, confirmation);
  return handler.run(context, input);
}

function presentValue({ line: { command }, view }: Run, input: Input, value: unknown): Result {
  const { reply } = command.output;
  const { handler, revealed } = command;
  // JSON and YAML output prints the value as it was sent, so a read makes no table for them.
  if (handler.kind === 'runs' && handler.isRead && hasDataFormat(view))
    return { value, reply, revealed, presentation: { kind: 'nothing' } };
  if (handler.kind === 'runs') {
    const presentation = presentResult(command, value, input, view);
    return { value: handler.data ? handler.data(value) : value, reply, revealed, presentation };
  }
  const { data, ...done } = value as Outcome;
  return { value: data, reply, presentation: { kind: 'done', ...done } };
}

function hideInputSecrets({ line, app }: Run, input: Input): void {
  for (const [name, { secret, sensitive }] of Object.entries<Field>(line.command.params)) {
    const value = input[name];
    if (secret && !sensitive && typeof value === 'string') app.redactor.hide(value);
  }
}

async function printSandboxNotice({ line, session, view, app }: Run): Promise<void> {
  // Settings, profiles and shell scripts are real even with --sandbox, so a local command shows no notice.
  if (line.command.isLocal) return;
  const notice = session.sandboxNotice();
  if (notice === undefined || view.quiet || isStderrJson(view, app)) return;
  await app.err.lines([(await session.sandboxCopyNotice()) ?? notice]);
}

async function loadAgentRules({ app }: Run) {
  return findAgentVariable(app.env) === undefined ? undefined : import('./agents.ts');
}

function refuseIfReadOnly({ line, session, writeOptions }: Run, input?: Input): void {
  const { command, path } = line;
  const isChange = input ? writesWithInput(command, input) : command.changes === true;
  if (writeOptions.dryRun || !isChange) return;
  const { value, origin } = session.settings.get('readonly');
  if (value !== 'true') return;
  // The error has no hint how to allow changes: the person who set `readonly` knows that.
  throw new CliError('forbidden', `"${path}" changes the service, and only reads are allowed (${originText(origin)})`, {
    nothing: 'sent',
  });
}
