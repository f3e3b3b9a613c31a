import { type Command, commandWrites, type Shown } from './command.ts';
import type { Envelope } from './reply.ts';

const lists: readonly (Envelope | undefined)[] = ['page', 'rows', 'opaque'];

/** What a command says it shows; else what its reply and a presentation of its own make likely, which tests compare. */
export function shownBy(command: Command): Shown {
  const { shows, present, reply } = command;
  if (shows) return shows;
  if (!present) return shownReply(reply?.envelope);
  if (commandWrites(command)) return 'deed';
  return lists.includes(reply?.envelope) ? 'rows' : 'object';
}

function shownReply(envelope: Envelope | undefined): Shown {
  if (envelope === 'page' || envelope === 'rows') return 'rows';
  if (envelope === 'acknowledged' || envelope === 'nothing') return 'deed';
  return envelope === 'opaque' || envelope === 'raw' ? 'value' : 'object';
}
