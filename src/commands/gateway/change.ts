import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { integer, opaque, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { actionWords } from '../../resources/action.ts';
import type { Gateway } from '../../resources/gateway.ts';
import { itsAction } from '../queued-change.ts';

export type GatewayRow = RecordOf<typeof Gateway>;

/** What a gateway is to be given. */
export interface Wish {
  readonly name?: string;
  readonly username?: string;
  readonly address?: string;
  readonly private_ip?: string;
  readonly content?: string;
  /** In seconds. */
  readonly ttl?: number;
}

/** One field of a gateway that was changed; a key is never shown. */
export const GatewayChange = record(
  'change',
  {
    field: text('Name of the field.'),
    before: opaque('Value before.'),
    after: opaque('Value it has now.'),
    gateway_id: integer('Id of the gateway.'),
    action: itsAction,
  },
  ['field', 'before', 'after'],
);
type GatewayChange = RecordOf<typeof GatewayChange>;

interface Renewal {
  readonly before: GatewayRow;
  readonly changed: Wish;
  /** As the service shows it now, where that could be read. */
  readonly after?: GatewayRow;
}

/** What was changed, as it is now shown; without a look at it, as it was asked for. */
export function changesOf(context: Context, { before, changed, after }: Renewal): readonly GatewayChange[] {
  const { content, ttl, ...plain } = changed;
  const gateway_id = before.id;
  return [
    ...Object.entries(plain).map(([field, asked]) => {
      const now = after ? after[field as keyof typeof plain] : asked;
      if (now !== asked) context.warn(`${field} now shows ${now || '-'}`);
      return { field, before: before[field as keyof typeof plain], after: now, gateway_id };
    }),
    ...(content === undefined ? [] : [{ field: 'key', before: '***', after: '***', gateway_id }]),
    ...(ttl === undefined
      ? []
      : [{ field: 'ttl', before: before.ttl, after: after ? after.ttl : closing(context.now(), ttl), gateway_id }]),
  ];
}

function closing(now: Date, ttl: number): string | null {
  return ttl === 0 ? null : new Date(now.getTime() + ttl * 1000).toISOString().replace(/\.\d+/, '');
}

/** `address: 203.0.113.8 -> 203.0.113.18` */
export function lineOf(change: GatewayChange): string {
  const { field, before, after, action } = change;
  const none = field === 'ttl' ? 'closed' : '-';
  const line = field === 'key' ? 'key: replaced' : `${field}: ${before || none} -> ${after || none}`;
  if (action) return `${line}: ${actionWords(action)}`;
  return `${line}${undoFlags(change).length === 0 ? ' (no undo)' : ''}`;
}

/** The command that gives the gateway back what can be given back. */
export function undoOf(changes: readonly GatewayChange[], account_id: number): readonly CommandLine[] {
  const flags = changes.flatMap(undoFlags);
  const [first] = changes;
  if (!first || flags.length === 0) return [];
  return [{ path: 'gateway update', operands: [String(first.gateway_id)], flags, account_id }];
}

/** What goes on is no result yet. A key is not known, and a gateway that was open can be closed but not made to close at the same moment again. */
function undoFlags({ field, before, action }: GatewayChange): readonly string[] {
  if (action) return [];
  if (field === 'ttl') return before ? [] : ['--ttl', '0'];
  if (field === 'key' || typeof before !== 'string') return [];
  return flagWords(`--${field.replaceAll('_', '-')}`, before);
}
