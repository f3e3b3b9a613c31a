import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { interruptedError } from '../errors/cli-error.ts';
import type { AskOptions } from '../output/safe/create-output.ts';
import { wrapToWidth } from '../output/table/cell-width.ts';

interface Asking {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number | undefined };
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  readonly take: (signal: 'SIGINT') => void;
}

/** Asks and reads one line; undefined at the end of input. The question wraps between its words. */
export async function askOn(
  { input, output, stop, take }: Asking,
  question: string,
  { hidden, signal }: AskOptions = {},
): Promise<string | undefined> {
  const lines = createInterface({ input, output: hidden ? new PassThrough() : output, terminal: true });
  const close = () => lines.close();
  output.write(wrapToWidth(question, output.columns || Infinity, Infinity).join('\n'));
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
    // In raw mode Ctrl-C is a key. It acts like the signal, which on Windows would end the process if it were raised.
    lines.once('SIGINT', () => take('SIGINT'));
    stop.addEventListener('abort', close, { once: true });
    signal?.addEventListener('abort', close, { once: true });
    // A signal may have been aborted before this call.
    if (stop.aborted || signal?.aborted) close();
  });
  close();
  if (hidden || answer === undefined) output.write('\n');
  if (stop.aborted) throw interruptedError();
  return answer;
}
