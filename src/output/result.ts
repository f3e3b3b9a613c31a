import type { Audience, Command, Presentation } from '../contract/command.ts';
import type { Row } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { attempt, CliError } from '../errors/cli-error.ts';
import { writeJson } from '../json/write.ts';
import type { Stderr, Stdout } from './safe/create-output.ts';

/** The text of a result in parts. First `lines`, then `drawn` or `data`, go to stdout. `notes` go to stderr. */
export interface RenderedResult {
  readonly lines?: readonly string[];
  /** A drawn table or record, without its last line feed. */
  readonly drawn?: string;
  /** Machine-readable text with its last line end, in pieces if the whole text should not be in memory. */
  readonly data?: string | Iterable<string> | AsyncIterable<string>;
  readonly notes?: readonly string[];
}

/** Minimum number of characters for a write to a stream, except the last. Shorter pieces are joined. */
const minCharactersPerWrite = 65_536;

interface ResultStreams {
  readonly out: Stdout;
  readonly err: Stderr;
  /** May be a getter that installs signal handlers, which takes time, so it is read only between two writes. */
  readonly signal?: AbortSignal;
}

/** Prints a result. Throws `interrupted` between two writes if the signal is aborted. */
export async function print(result: RenderedResult, streams: ResultStreams): Promise<void> {
  const { lines = [], drawn, data = '', notes = [] } = result;
  const { out, err } = streams;
  await out.lines(lines);
  if (drawn !== undefined) await out.drawn(`${drawn}\n`);
  let text = '';
  for await (const piece of typeof data === 'string' ? [data] : data) {
    if (text.length >= minCharactersPerWrite) {
      await out.data(text);
      text = '';
      // Between two writes, signal handlers can run.
      await new Promise((resolve) => setImmediate(resolve));
      if (streams.signal?.aborted) throw new CliError('interrupted', 'interrupted');
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
  /** Names of secret fields that are shown, because showing them is the purpose of the command. */
  readonly revealed?: readonly string[] | undefined;
}

/** Returns the presentation that the command makes of a result, or the usual presentation of its reply. */
export function presentResult(command: Command, value: unknown, input: Row, audience: Audience): Presentation {
  const { handler, output } = command;
  const present = handler.kind === 'runs' ? handler.present : undefined;
  return present ? present(value, input, audience) : presentReply(output.reply ?? { envelope: 'opaque' }, value);
}

export function presentReply({ record }: Reply, value: unknown): Presentation {
  // If `display` reads a field with an unreadable value, it throws, and the row is shown unchanged.
  const displayRow = (row: Row): Row => {
    const displayedRow = attempt(() => record?.display?.(row) ?? row);
    return displayedRow instanceof CliError ? row : displayedRow;
  };
  if (record && Array.isArray(value)) return { kind: 'table', record, rows: value.filter(isObject).map(displayRow) };
  if (record && isObject(value)) return { kind: 'detail', record, row: displayRow(value) };
  return { kind: 'value', text: writeJson(value, { indent: true, escapeControls: true }) };
}
