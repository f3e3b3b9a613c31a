import { remove } from '../../builders/act.ts';
import { call } from '../../builders/call.ts';
import { change } from '../../builders/change.ts';
import { create } from '../../builders/create.ts';
import type { Menu } from '../../contract/command.ts';
import { type Input, optional, text } from '../../contract/field.ts';
import type { InputOf } from '../../contract/operation.ts';
import { gateway, gatewayParams, gateways, openUntilText } from '../../resources/account.ts';

export const gatewayCommands: Menu = {
  'gateway list': call(gateways.list, { examples: ['stackops gateway list', 'stackops gateway list -a 42 --json'] }),
  'gateway create': create(gateway, gateways.create, {
    title: 'name',
    examples: [
      'stackops gateway create --name bastion-3 --address 203.0.113.9 --username ops',
      'stackops gateway create --name bastion-3 --address 203.0.113.9 --key-file bastion.pem --ttl 8h',
    ],
  }),
  'gateway update': change(gateway, gateways.update, {
    kind: 'gateway',
    params: { name: optional(text('New name.')), ...gatewayParams },
    examples: [
      'stackops gateway update bastion-2 --key-file bastion.pem --ttl 8h',
      'stackops gateway update bastion-2 --ttl 0',
      'stackops gateway update 5 --name bastion-old --address 203.0.113.8',
    ],
    // A new key or time to live is not verified, because the service shows neither.
    verify: (row, { content, ttl, ...plain }: GatewayPatch) =>
      content !== undefined || (ttl !== undefined && (ttl > 0 || row.ttl !== null))
        ? undefined
        : Object.entries(plain).every(([name, value]) => (row as Input)[name] === value),
    predictFields: ({ ttl, ...plain }, now) => ({ ...plain, ...(ttl !== undefined && { ttl: closingTime(now, ttl) }) }),
    describe: (field, value, now) => (field === 'ttl' ? openUntilText(value as string | null, now) : undefined),
    // An opened gateway can be closed again. An earlier closing time cannot be restored.
    undoValuesOf: ({ ttl, content: _, ...plain }) => ({ ...plain, ...(ttl === null && { ttl: 0 }) }),
  }),
  'gateway delete': remove(gateway, gateways.delete, {
    confirm: { level: 'typed' },
    examples: ['stackops gateway delete bastion-1', 'stackops gateway delete 5 --confirm bastion-1'],
  }),
};

type GatewayPatch = Omit<InputOf<typeof gateways.update>, 'id'>;

function closingTime(now: Date, ttl: number): string | null {
  return ttl === 0 ? null : new Date(now.getTime() + ttl * 1000).toISOString().replace(/\.\d+/, '');
}
