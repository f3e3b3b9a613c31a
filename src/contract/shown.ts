import { type Command, commandTells, type Shown } from './command.ts';
import type { Envelope } from './reply.ts';

/** What people see of a result; what its reply and what the command says of itself make likely is compared by a test. */
export function shownBy(command: Command): Shown {
  const { bare, table, present, reply } = command;
  if (bare) return 'value';
  if (table) return 'rows';
  if (!present) return shownReply(reply?.envelope);
  if (commandTells(command)) return 'deed';
  return reply?.envelope === 'page' || reply?.envelope === 'rows' ? 'rows' : 'object';
}

function shownReply(envelope: Envelope | undefined): Shown {
  if (envelope === 'page' || envelope === 'rows') return 'rows';
  if (envelope === 'acknowledged' || envelope === 'nothing') return 'deed';
  return envelope === 'opaque' || envelope === 'raw' ? 'value' : 'object';
}
