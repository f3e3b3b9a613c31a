import type { Context } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { type Server, servers } from '../../resources/server.ts';

/** How a command takes its server. */
export const aServer = text('UID or exact name of the server.', { label: 'server', names: 'server' });

export type ServerRow = RecordOf<typeof Server>;

export interface ServerWords {
  readonly stack_id: string;
  /** What was typed: the UID or the exact name. */
  readonly server_id: string;
}

/** The UID of a server: a 32-digit hex UID is used as it is, a name costs one read. Throws not_found or ambiguous. */
export async function findServerUid(context: Context, words: ServerWords): Promise<string> {
  if (/^[0-9a-f]{32}$/i.test(words.server_id)) return words.server_id;
  const known = await context.call(servers.list, { stack_id: words.stack_id });
  return findServer(known, words).uid;
}

/** The server of this UID or exact name; throws not_found with the nearest name, ambiguous with all UIDs. */
export function findServer(known: readonly ServerRow[], { stack_id, server_id }: ServerWords): ServerRow {
  return findNamed(known, server_id, {
    kind: 'server',
    idOf: ({ uid }) => uid,
    nameOf: ({ name }) => name,
    lister: { path: 'server list', stack_id },
  });
}
