import type { Context } from '../../contract/command.ts';
import { shellWord } from '../../contract/values/text.ts';
import { attempt, CliError, exitCodesOfSignals, interruptedError } from '../../errors/cli-error.ts';
import { saveTemporaryFile, type TemporaryFile, withTemporaryFile } from '../../files/temporary-file.ts';
import { type ForegroundHost, runProgram } from '../../programs/run.ts';

interface Editing<Value> {
  /** Name of the file, whose ending tells an editor its colours. */
  readonly name: string;
  readonly text: string;
  /** Throws usage for a text with a mistake in it. */
  readonly read: (text: string) => Value;
  /** A comment for the top of the text; absent where it holds no comments. */
  readonly comment?: (line: string) => string;
  readonly warn: (line: string) => void;
}

/**
 * Opens a text in the editor of the operator and reads the saved text; undefined where it is unchanged. At a terminal it
 * asks after a mistake, and opens the editor again with the error as a comment at the top.
 * Throws usage without an editor, interrupted where the editor fails.
 */
export async function editText<Value>(editing: Editing<Value>, context: Context): Promise<Value | undefined> {
  const editor = editorOf(context.host.programs);
  const edited = async (file: TemporaryFile) => {
    let shown = editing.text;
    for (;;) {
      file.write(shown);
      const text = await textSavedBy(editor, file, context.host.programs);
      if (text === editing.text) return undefined;
      const found = attempt(() => editing.read(text));
      if (!(found instanceof CliError)) return found;
      const isEdited = text !== shown && text.trim() !== '';
      if (!(isEdited && editing.comment && (await isToBeEdited(found, text, editing, context)))) {
        throw found.with({ nothing: 'changed' });
      }
      shown = withError(text, editing, editing.comment);
    }
  };
  return withTemporaryFile(editing.name, edited, editing.warn);
}

async function isToBeEdited({ message }: CliError, text: string, editing: Editing<unknown>, { ask }: Context) {
  const { name, warn } = editing;
  if (!ask) return false;
  let answer: string | undefined;
  try {
    answer = await ask(`${message}. Edit it again? [y/N] `);
  } finally {
    // After No or Ctrl-C the text is in a file.
    if (!isYes(answer)) warn(`your text was saved to ${saveTemporaryFile(name, text)}; delete the file after use`);
  }
  return isYes(answer);
}

function isYes(answer = ''): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

function withError<Value>(text: string, { read }: Editing<Value>, comment: (line: string) => string): string {
  const rest = text.startsWith(comment('error:').trimEnd()) ? text.slice(text.indexOf('\n') + 1) : text;
  // The error stands in a line of its own, which its line number counts.
  const found = attempt(() => read(comment('error:') + rest));
  return comment(`error: ${found instanceof CliError ? found.message : ''}`) + rest;
}

function editorOf({ env }: ForegroundHost): string {
  const editor = env['VISUAL'] || env['EDITOR'];
  if (editor) return editor;
  throw new CliError('usage', 'no editor configured: neither VISUAL nor EDITOR is set', { hint: 'export EDITOR=vi' });
}

async function textSavedBy(editor: string, { path, read }: TemporaryFile, programs: ForegroundHost): Promise<string> {
  let stop: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C is for the editor; these signals also end this program.
    if (signal === 'SIGTERM' || signal === 'SIGHUP') stop = signal;
  };
  const commandLine = editorCommand(editor, path, programs.platform);
  const code = await runProgram({ commandLine, env: programs.env, toStderr: true, onSignal }, programs);
  const bySignal = stop ? exitCodesOfSignals[stop] : Object.values(exitCodesOfSignals).find((other) => other === code);
  if (bySignal !== undefined) throw interruptedError().with({ exitCode: bySignal });
  if (code === 126 || code === 127)
    throw new CliError('usage', `cannot run the editor "${editor}"`, { nothing: 'changed' });
  // `:cq` in vi exits with 1 to give up.
  if (code !== 0)
    throw new CliError('interrupted', `the editor exited with ${code}`, { nothing: 'changed', exitCode: 1 });
  const text = attempt(read);
  if (text instanceof CliError) throw text.with({ nothing: 'changed' });
  return text;
}

/**
 * The editor may be a shell line, `code --wait`, as for git. The shell replaces itself with the editor (`exec`), so
 * signals reach only the editor. `env` accepts assignments, `TERM=xterm vi`, which `exec` does not.
 */
export function editorCommand(editor: string, path: string, platform: string): readonly string[] {
  if (platform.startsWith('win32')) return ['cmd.exe', '/d', '/c', `${editor} "${path}"`];
  return ['sh', '-c', `exec env ${editor} ${shellWord(path)}`];
}
