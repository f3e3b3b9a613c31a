import { type Context, call, type Menu, script, type Target } from '../contract/command.ts';
import { opaque, optional, text, type Values } from '../contract/field.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { rows } from '../contract/reply.ts';
import { Problem } from '../problems/problem.ts';
import { type Gateway, gateways, settable } from '../resources/gateway.ts';
import { inAccount } from '../resources/shared.ts';
import { findNamed } from './find-named.ts';

type GatewayRow = RecordOf<typeof Gateway>;
interface GatewayWords {
  readonly account_id: number;
  /** What was typed: the id or the exact name. */
  readonly gateway: string;
}

/** One field of a gateway that was changed; a key is never shown. */
const Change = record(
  'change',
  { field: text('Name of the field.'), before: opaque('Value before.'), after: opaque('Value it was given.') },
  ['field', 'before', 'after'],
);
type Change = RecordOf<typeof Change>;

const renewable = { name: optional(text('New name.')), ...settable };
type Wish = Values<typeof renewable>;

const theGateway = text('Id or exact name of the gateway.', { label: 'gateway' });

const create = script({
  about: 'Create a gateway.',
  params: gateways.create.params,
  examples: [
    'stackops gateway create --name bastion-3 --address 203.0.113.9 --username ops',
    'stackops gateway create --name bastion-3 --address 203.0.113.9 --key-file bastion.pem --ttl 8h',
  ],
  calls: [gateways.create],
  reply: gateways.create.reply,
  run: (context, input) => {
    if (input.name.trim() === '') throw new Problem('usage', '--name is empty');
    checkKey(input.content);
    return context.call(gateways.create, input);
  },
  present: (_, { name }) => ({ kind: 'done', lines: [`Gateway ${name} was created.`] }),
});

const update = script({
  about: 'Change a gateway; a key and a time to live open it.',
  params: { account_id: inAccount, gateway: theGateway, ...renewable },
  positionals: ['gateway'],
  examples: [
    'stackops gateway update bastion-2 --key-file bastion.pem --ttl 8h',
    'stackops gateway update bastion-2 --ttl 0',
    'stackops gateway update 5 --name bastion-old --address 203.0.113.8',
  ],
  calls: [gateways.list, gateways.update],
  reply: rows(Change),
  run: async (context, { account_id, gateway, ...wish }) => {
    checkWish(wish);
    const before = await find(context, { account_id, gateway });
    const changed = differences(before, wish);
    if (Object.keys(changed).length === 0) return [];
    await context.call(gateways.update, { account_id, id: before.id, ...changed });
    return changesOf(before, changed, context.now());
  },
  present: (changes, { gateway }) => ({
    kind: 'done',
    lines: changes.length === 0 ? [`Gateway ${gateway} is like that already; nothing was sent.`] : changes.map(lineOf),
  }),
});

const remove = script({
  about: 'Delete a gateway.',
  params: { account_id: inAccount, gateway: theGateway },
  positionals: ['gateway'],
  examples: ['stackops gateway delete bastion-1', 'stackops gateway delete 5 --confirm bastion-1'],
  calls: [gateways.list, gateways.delete],
  reply: gateways.delete.reply,
  confirm: { level: 'typed', act: 'Delete gateway', target: describe },
  run: async (context, input) => {
    const { id } = await find(context, input);
    return context.call(gateways.delete, { account_id: input.account_id, id });
  },
  present: (_, { gateway }) => ({ kind: 'done', lines: [`Gateway ${gateway} was deleted.`] }),
});

export const gatewayCommands: Menu = {
  'gateway list': call(gateways.list, { examples: ['stackops gateway list', 'stackops gateway list -a 42 --json'] }),
  'gateway create': create,
  'gateway update': update,
  'gateway delete': remove,
};

async function find(context: Context, { account_id, gateway }: GatewayWords): Promise<GatewayRow> {
  return findNamed(await context.call(gateways.list, { account_id }), gateway, {
    kind: 'gateway',
    idOf: ({ id }) => String(id),
    nameOf: ({ name }) => name,
    lister: `stackops gateway list -a ${account_id}`,
  });
}

async function describe(context: Context, words: GatewayWords): Promise<Target> {
  const { name, address, ttl } = await find(context, words);
  return { name, facts: [address || 'no address', openness(ttl, context.now())] };
}

function openness(ttl: string | null, now: Date): string {
  if (!ttl) return 'not open';
  return Date.parse(ttl) > now.getTime() ? `open until ${ttl}` : `closed since ${ttl}`;
}

function checkWish({ content, ...wish }: Wish): void {
  if (content === undefined && Object.keys(wish).length === 0) {
    const flags = '--name, --username, --address, --private-ip, --key-file, --key-stdin or --ttl';
    throw new Problem('usage', `nothing to change: give ${flags}`);
  }
  if (wish.name?.trim() === '') throw new Problem('usage', '--name is empty');
  checkKey(content);
}

/** An empty key would close the gateway, which is never what a file that turned out empty was meant for. */
function checkKey(content: string | undefined): void {
  if (content?.trim() === '') throw new Problem('usage', 'the key read is empty; nothing was changed');
}

/** A key and a time to live always differ from what stands there, but for closing what is closed. */
function differences(before: GatewayRow, wish: Wish): Wish {
  const isClosed = wish.ttl === 0 && !before.ttl;
  const differs = ([field, value]: readonly [string, unknown]) =>
    field === 'ttl' ? !isClosed : before[field as keyof Wish] !== value;
  return Object.fromEntries(Object.entries(wish).filter(differs));
}

function changesOf(before: GatewayRow, { content, ttl, ...plain }: Wish, now: Date): readonly Change[] {
  const closes = ttl ? new Date(now.getTime() + ttl * 1000).toISOString().replace(/\.\d+/, '') : null;
  return [
    ...Object.entries(plain).map(([field, after]) => ({ field, before: before[field as keyof typeof plain], after })),
    ...(content === undefined ? [] : [{ field: 'key', before: '***', after: '***' }]),
    ...(ttl === undefined ? [] : [{ field: 'ttl', before: before.ttl, after: closes }]),
  ];
}

function lineOf({ field, before, after }: Change): string {
  const none = field === 'ttl' ? 'closed' : '-';
  return field === 'key' ? 'key: replaced' : `${field}: ${before || none} -> ${after || none}`;
}
