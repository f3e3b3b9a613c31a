import type { Audience, Command, Presentation } from '../contract/command.ts';
import type { Row } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { attempt, CliError } from '../errors/cli-error.ts';
import { writeJson } from '../json/write.ts';

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
