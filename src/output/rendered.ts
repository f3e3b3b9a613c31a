import { CliError } from '../errors/cli-error.ts';
import type { Stderr, Stdout } from './safe/create-output.ts';

/** What goes to stdout: sentences, and below them something drawn of visible cells, or data as it is; and to stderr. */
export interface Rendered {
  readonly lines?: readonly string[];
  /** A table or a record, without its last line feed. */
  readonly drawn?: string;
  /** With its last line end. In pieces where none of it has to stand in memory as a whole. */
  readonly data?: string | Iterable<string> | AsyncIterable<string>;
  /** Lines for stderr. */
  readonly notes?: readonly string[];
}

/** Enough for a stream to take at a time. */
const writeLength = 65_536;

/** Throws interrupted between two pieces when the signal is aborted. */
export async function print(
  { lines = [], drawn, data = '', notes = [] }: Rendered,
  // Its signal is asked for only between two pieces: handlers of signals take time to set up.
  run: { readonly out: Stdout; readonly err: Stderr; readonly signal?: AbortSignal },
): Promise<void> {
  const { out, err } = run;
  await out.lines(lines);
  if (drawn !== undefined) await out.drawn(`${drawn}\n`);
  let text = '';
  for await (const piece of typeof data === 'string' ? [data] : data) {
    if (text.length >= writeLength) {
      await out.data(text);
      text = '';
      // Signals, and the reader, get their turn.
      await new Promise((resolve) => setImmediate(resolve));
      if (run.signal?.aborted) throw new CliError('interrupted', 'interrupted');
    }
    text += piece;
  }
  if (text !== '') await out.data(text);
  await err.lines(notes);
}
