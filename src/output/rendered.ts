import { Problem } from '../problems/problem.ts';
import type { Stdout } from './gate/gate.ts';

/** A long text in pieces, made as they are asked for: none of it has to stand in memory as a whole. */
export type Pieces = Generator<string> | AsyncGenerator<string>;

/** What goes to stdout: sentences, and below them something drawn of visible cells, or data as it is. */
export interface Printed {
  readonly lines?: readonly string[];
  readonly drawn?: string;
  readonly data?: string | Pieces;
}

/** What goes to the two streams. */
export interface Rendered {
  readonly out: Printed;
  /** Lines for stderr. */
  readonly err: readonly string[];
}

export const silence: Rendered = { out: {}, err: [] };

/** Sentences for stdout. */
export function onlyLines(lines: readonly string[]): Rendered {
  return { out: { lines }, err: [] };
}

/** A table or a record, given without its last line feed. */
export function onlyDrawn(text: string): Rendered {
  return { out: { drawn: `${text}\n` }, err: [] };
}

/** Data with its last line end. */
export function onlyData(data: string | Pieces): Rendered {
  return { out: { data }, err: [] };
}

/** Writes to stdout; throws interrupted between two pieces when the signal is aborted. */
export async function print(
  { lines = [], drawn = '', data = '' }: Printed,
  out: Stdout,
  stop?: { readonly signal: AbortSignal },
): Promise<void> {
  await out.lines(lines);
  if (drawn !== '') await out.drawn(drawn);
  if (typeof data !== 'string') await printPieces(data, out, stop);
  else if (data !== '') await out.data(data);
}

/** Enough for a stream to take at a time. */
const writeLength = 65_536;

/** Signals, and the reader, get their turn after each piece; what fits into one write is shown whole all the same. */
async function printPieces(pieces: Pieces, out: Stdout, stop?: { readonly signal: AbortSignal }): Promise<void> {
  let text = '';
  for await (const piece of pieces) {
    if (text.length >= writeLength) {
      await out.data(text);
      text = '';
      if (stop?.signal.aborted) throw new Problem('interrupted', 'interrupted');
    }
    text += piece;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (text !== '') await out.data(text);
}
