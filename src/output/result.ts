import type { Audience, Command, Presentation } from '../contract/command.ts';
import type { Row } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { attempt, CliError } from '../errors/cli-error.ts';
import { writeJson } from '../json/write.ts';
import type { Stderr, Stdout } from './safe/create-output.ts';

/** Output in parts: for stdout lines, then a drawing or data; for stderr notes. */
export interface Rendered {
  readonly lines?: readonly string[];
  /** A table or a record, without its last line feed. */
  readonly drawn?: string;
  /** With its last line end. It comes in pieces if the whole text should not be in memory. */
  readonly data?: string | Iterable<string> | AsyncIterable<string>;
  readonly notes?: readonly string[];
}

/** The characters of one write to a stream. */
const writeLength = 65_536;

/** Throws interrupted between two pieces when the signal is aborted. */
export async function print(
  { lines = [], drawn, data = '', notes = [] }: Rendered,
  // The signal is read between pieces only: installing signal handlers takes time.
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
      // Lets signals and the reader proceed.
      await new Promise((resolve) => setImmediate(resolve));
      if (run.signal?.aborted) throw new CliError('interrupted', 'interrupted');
    }
    text += piece;
  }
  if (text !== '') await out.data(text);
  await err.lines(notes);
}

export interface Result {
  /** The unwrapped reply, for JSON, YAML and jq. */
  readonly value: unknown;
  readonly reply?: Reply | undefined;
  /** The presentation for all other formats. */
  readonly presentation: Presentation;
  /** Secret fields that the command is called for, which are shown. */
  readonly revealed?: readonly string[] | undefined;
}

/** The presentation of a result: the command's own, else the one for its reply. */
export function presentResult(
  { handler, output }: Command,
  value: unknown,
  input: Row,
  audience: Audience,
): Presentation {
  const present = handler.kind === 'runs' ? handler.present : undefined;
  return present ? present(value, input, audience) : presentReply(output.reply ?? { envelope: 'opaque' }, value);
}

export function presentReply({ record }: Reply, value: unknown): Presentation {
  // A field that cannot be read is shown as it was sent.
  const display = (row: Row): Row => {
    const displayed = attempt(() => record?.display?.(row) ?? row);
    return displayed instanceof CliError ? row : displayed;
  };
  if (record && Array.isArray(value)) return { kind: 'table', record, rows: value.filter(isObject).map(display) };
  if (record && isObject(value)) return { kind: 'detail', record, row: display(value) };
  return { kind: 'value', text: writeJson(value, { indent: true, escapeControls: true }) };
}
