import { isObject } from '../contract/values/json.ts';
import { type CliError, exitCodeOf, tryOrWarn } from '../errors/cli-error.ts';
import { maskUnlessRevealed } from '../output/render.ts';
import type { Result } from '../output/result.ts';
import type { Run } from './app.ts';

/** Length of a wait in milliseconds. Only the end of a longer wait is notified. */
const minWaitMs = 10_000;

/** Notifies the user of the end of a long wait, as `notify` or --notify asks. A failure is a warning. */
export async function notifyEnd(run: Run, result: Result | undefined, error?: CliError): Promise<void> {
  const { line, app, session, say, state } = run;
  const { err, elapsed, signal } = app;
  const isLongWait = state.waitingSinceMs !== undefined && elapsed() - state.waitingSinceMs > minWaitMs;
  if (!isLongWait || signal.aborted) return;
  await tryOrWarn(say.warn, 'no notice was given', async () => {
    const channel = session.settings.get('notify').value ?? (line.options.notify ? 'desktop' : 'off');
    if (channel === 'off') return;
    if (channel === 'bell') return err.notice();
    const [firstLine = 'done'] = result?.presentation.kind === 'done' ? result.presentation.lines : [];
    const resultText = stackChangesText(result?.value) || firstLine;
    if (channel === 'desktop') return err.notice(`${line.path}: ${error?.message ?? resultText}`);
    await session.notify(await notificationRecord(run, result, error), error ? exitCodeOf(error) : 0);
  });
}

function stackChangesText(value: unknown): string {
  const changes = [value].flat().filter(isObject);
  return [...new Set(changes.flatMap(({ stack, change }) => (stack && change ? `${stack} ${change}` : [])))].join(', ');
}

async function notificationRecord({ view }: Run, result: Result | undefined, error?: CliError): Promise<unknown> {
  const maskedResult = result && (await maskUnlessRevealed(result, { reveal: false }));
  const { value = error ? { error: { code: error.kind, message: error.message } } : null } = maskedResult ?? {};
  // With --reveal the record may hold secrets. The secrets are for the user, not for the notify program.
  return view.reveal ? withoutSecrets(value) : value;
}

function withoutSecrets(record: unknown): unknown {
  if (Array.isArray(record)) return record.map(withoutSecrets);
  if (!isObject(record)) return record;
  const { before: _, after: __, ...otherFields } = record;
  return otherFields;
}
