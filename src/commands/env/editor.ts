import type { Context } from '../../contract/command.ts';
import { shellWord } from '../../contract/values/text.ts';
import { attempt, CliError, exitCodesOfSignals, interruptedError } from '../../errors/cli-error.ts';
import { saveTemporaryFile, type TemporaryFile, withTemporaryFile } from '../../files/temporary-file.ts';
import { type ForegroundHost, runProgram } from '../../programs/run.ts';

interface EditableText<Value> {
  /** The name of the file. Editors choose the colours of the text by its extension. */
  readonly name: string;
  readonly text: string;
  /** Reads the edited text. Throws `usage` for a mistake in the text. */
  readonly read: (text: string) => Value;
  /** Turns a line into a comment for the top of the text; absent if the format of the text has no comments. */
  readonly comment?: (line: string) => string;
}

/**
 * Opens a text in the editor and reads the saved text. Returns undefined if the text is unchanged. After a mistake it
 * asks at a terminal whether to edit again, with the error as a comment at the top. Throws `usage` if no editor is
 * configured or a mistake remains, and `interrupted` if the editor fails.
 */
export async function editText<Value>(editableText: EditableText<Value>, context: Context): Promise<Value | undefined> {
  const { name, text: originalText, read, comment } = editableText;
  const { programs } = context.host;
  const editor = editorOf(programs);
  const editUntilValid = async (file: TemporaryFile) => {
    let shownText = originalText;
    for (;;) {
      file.write(shownText);
      const text = await runEditor(editor, file, programs);
      if (text === originalText) return undefined;
      const value = attempt(() => read(text));
      if (!(value instanceof CliError)) return value;
      const isEdited = text !== shownText && text.trim() !== '';
      if (!(isEdited && comment && (await confirmEditAgain(value, { name, text }, context)))) {
        throw value.with({ nothing: 'changed' });
      }
      shownText = withErrorComment(text, read, comment);
    }
  };
  return withTemporaryFile(name, editUntilValid, context.warn);
}

type NamedText = Pick<EditableText<unknown>, 'name' | 'text'>;

async function confirmEditAgain({ message }: CliError, { name, text }: NamedText, context: Context) {
  const { ask } = context;
  if (!ask) return false;
  let isConfirmed = false;
  try {
    const answer = await ask(`${message}. Edit it again? [y/N] `);
    isConfirmed = /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    // Without a yes, also after Ctrl-C, the text is saved to a file, so the work is not lost.
    if (!isConfirmed) saveText(name, text, context);
  }
  return isConfirmed;
}

/** Saves a text to a private file, and names the file in a warning. Returns its path, or undefined if that fails. */
export function saveText(name: string, text: string, { warn }: Context): string | undefined {
  const file = attempt(() => saveTemporaryFile(name, text));
  if (file instanceof CliError) return void warn(`your text is lost: ${file.message}`);
  warn(`your text was saved to ${file}; delete the file after use`);
  return file;
}

function withErrorComment(text: string, read: (text: string) => unknown, toComment: (line: string) => string): string {
  const textWithoutError = text.startsWith(toComment('error:').trimEnd()) ? text.slice(text.indexOf('\n') + 1) : text;
  // The error line at the top shifts the line numbers, so the text is read again below such a line.
  const result = attempt(() => read(toComment('error:') + textWithoutError));
  return toComment(`error: ${result instanceof CliError ? result.message : ''}`) + textWithoutError;
}

function editorOf({ env }: ForegroundHost): string {
  const editor = env['VISUAL'] || env['EDITOR'];
  if (editor) return editor;
  throw new CliError('usage', 'no editor configured: neither VISUAL nor EDITOR is set', { hint: 'export EDITOR=vi' });
}

async function runEditor(editor: string, { path, read }: TemporaryFile, programs: ForegroundHost): Promise<string> {
  let endSignal: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C is meant for the editor. Only these two signals also end this program.
    if (signal === 'SIGTERM' || signal === 'SIGHUP') endSignal = signal;
  };
  const commandLine = editorCommand(editor, path, programs.platform);
  const code = await runProgram({ commandLine, env: programs.env, toStderr: true, onSignal }, programs);
  const exitCode = (endSignal && exitCodesOfSignals[endSignal]) ?? code;
  if (Object.values(exitCodesOfSignals).includes(exitCode)) throw interruptedError().with({ exitCode });
  if (code === 126 || code === 127)
    throw new CliError('usage', `cannot run the editor "${editor}"`, { nothing: 'changed' });
  // The user may give up on purpose, for example with `:cq` in vi, which exits with 1.
  if (code !== 0)
    throw new CliError('interrupted', `the editor exited with ${code}`, { nothing: 'changed', exitCode: 1 });
  const text = attempt(read);
  if (text instanceof CliError) throw text.with({ nothing: 'changed' });
  return text;
}

/**
 * Returns the command line of the editor. As for git, the editor may be a shell line such as `code --wait`. The shell
 * replaces itself with the editor (`exec`), so signals reach only the editor. `env` accepts assignments such as
 * `TERM=xterm vi`, which `exec` does not.
 */
export function editorCommand(editor: string, path: string, platform: string): readonly string[] {
  if (platform.startsWith('win32')) return ['cmd.exe', '/d', '/c', `${editor} "${path}"`];
  return ['sh', '-c', `exec env ${editor} ${shellWord(path)}`];
}
