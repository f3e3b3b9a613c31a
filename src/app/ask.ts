import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { AskOptions } from '../contract/command.ts';
import { interruptedError } from '../errors/cli-error.ts';
import { wrapToWidth } from '../output/table/cell-width.ts';

interface PromptTerminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number | undefined };
  /** Aborted by the first signal to the process. */
  readonly stopSignal: AbortSignal;
  /** Called when Ctrl-C is typed. */
  readonly take: (signal: 'SIGINT') => void;
}

/** Asks a question and returns the typed line; undefined at the end of input, or once `signal` is aborted. */
export async function askOnTerminal(
  { input, output, stopSignal, take }: PromptTerminal,
  question: string,
  { isHidden, signal }: AskOptions = {},
): Promise<string | undefined> {
  const reader = createInterface({ input, output: isHidden ? new PassThrough() : output, terminal: true });
  const close = () => reader.close();
  output.write(wrapToWidth(question, output.columns || Infinity, Infinity).join('\n'));
  const answer = await new Promise<string | undefined>((resolve) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(undefined));
    // In raw mode Ctrl-C is a key and no signal. `take` handles it; a raised signal would end the process on Windows.
    reader.once('SIGINT', () => take('SIGINT'));
    stopSignal.addEventListener('abort', close, { once: true });
    signal?.addEventListener('abort', close, { once: true });
    // A signal that was aborted before this call sends no event.
    if (stopSignal.aborted || signal?.aborted) close();
  });
  close();
  if (isHidden || answer === undefined) output.write('\n');
  if (stopSignal.aborted) throw interruptedError();
  return answer;
}
