import type { Stdout } from './gate.ts';

/** What goes to stdout: sentences, and below them something drawn of visible cells, or data as it is. */
export interface Printed {
  readonly lines?: readonly string[];
  readonly drawn?: string;
  readonly data?: string;
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
export function onlyData(text: string): Rendered {
  return { out: { data: text }, err: [] };
}

export async function print({ lines = [], drawn = '', data = '' }: Printed, out: Stdout): Promise<void> {
  await out.lines(lines);
  if (drawn !== '') await out.drawn(drawn);
  if (data !== '') await out.data(data);
}
