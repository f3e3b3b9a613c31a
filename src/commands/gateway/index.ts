import { type Context, call, type Menu, script, type Target } from '../../contract/command.ts';
import { flag, group, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one, type Reply, rows } from '../../contract/reply.ts';
import { Problem } from '../../problems/problem.ts';
import { actionWords } from '../../resources/action.ts';
import { Gateway, gateways, settable } from '../../resources/gateway.ts';
import { inAccount } from '../../resources/shared.ts';
import { findNamed } from '../find-named.ts';
import { makeChange, queuedBy } from '../queued-change.ts';
import { readBack } from '../read-back.ts';
import { changesOf, GatewayChange, type GatewayRow, lineOf, undoOf, type Wish } from './change.ts';

interface GatewayWords {
  readonly account_id: number;
  /** What was typed: the id or the exact name. */
  readonly gateway: string;
}

const renewable = { name: optional(text('New name.')), ...settable };
const theGateway = text('Id or exact name of the gateway.', { label: 'gateway', names: 'gateway' });

/** The service says no more than `ok`; the gateway is as it was read, after its creation or before its end. */
const deedReply: Reply = {
  ...one(
    record('answer', { ok: flag('Whether it was done.'), gateway: optional(group(Gateway.fields, 'It.')) }, ['ok']),
  ),
};
interface Deed {
  readonly ok?: boolean;
  readonly gateway?: Omit<GatewayRow, 'content'>;
}

const create = script({
  about: 'Create a gateway.',
  params: gateways.create.params,
  examples: [
    'stackops gateway create --name bastion-3 --address 203.0.113.9 --username ops',
    'stackops gateway create --name bastion-3 --address 203.0.113.9 --key-file bastion.pem --ttl 8h',
  ],
  calls: [gateways.list, gateways.create],
  reply: deedReply,
  run: async (context, input): Promise<Deed> => {
    if (input.name.trim() === '') throw new Problem('usage', '--name is empty');
    checkKey(input.content);
    const answer = await context.call(gateways.create, input);
    if (queuedBy(answer)) return answer;
    const known = await readBack(context, () => context.call(gateways.list, { account_id: input.account_id }));
    const gateway = soleNamed(known ?? [], input.name);
    return gateway ? { ...answer, gateway: withoutKey(gateway) } : answer;
  },
  present: ({ gateway, ...answer }, { name, account_id }) => {
    const action = queuedBy(answer);
    if (action) return { kind: 'done', lines: [`Creation of gateway ${name}: ${actionWords(action)}`] };
    return {
      kind: 'done',
      lines: [`Gateway ${gateway ? factsOf(gateway) : name} was created.`],
      undo: gateway && [{ path: 'gateway delete', operands: [name], account_id }],
    };
  },
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
  reply: rows(GatewayChange),
  run: async (context, { account_id, gateway, ...wish }) => {
    checkWish(wish);
    const before = await find(context, { account_id, gateway });
    const changed = differences(before, wish);
    if (Object.keys(changed).length === 0) return [];
    return makeChange(context.call(gateways.update, { account_id, id: before.id, ...changed }), async (made) => {
      if (made.change !== 'done') {
        return changesOf(context, { before, changed }).map((change) => ({ ...change, action: made.action }));
      }
      const known = await readBack(context, () => context.call(gateways.list, { account_id }));
      const after = known?.find(({ id }) => id === before.id);
      return changesOf(context, { before, changed, ...(after && { after }) });
    });
  },
  present: (changes, { gateway, account_id }) => ({
    kind: 'done',
    lines: changes.length === 0 ? [`Gateway ${gateway} is like that already; nothing was sent.`] : changes.map(lineOf),
    undo: undoOf(changes, account_id),
  }),
});

const remove = script({
  about: 'Delete a gateway.',
  params: { account_id: inAccount, gateway: theGateway },
  positionals: ['gateway'],
  examples: ['stackops gateway delete bastion-1', 'stackops gateway delete 5 --confirm bastion-1'],
  calls: [gateways.list, gateways.delete],
  reply: deedReply,
  confirm: { level: 'typed', act: 'Delete gateway', target: describe },
  run: async (context, input): Promise<Deed> => {
    const gateway = await find(context, input);
    const answer: unknown = await context.call(gateways.delete, { account_id: input.account_id, id: gateway.id });
    return { ...(queuedBy(answer) ?? { ok: true }), gateway: withoutKey(gateway) };
  },
  present: ({ gateway, ...answer }, input) => {
    const what = gateway ? factsOf(gateway) : input.gateway;
    const action = queuedBy(answer);
    return {
      kind: 'done',
      lines: [action ? `Deletion of gateway ${what}: ${actionWords(action)}` : `Gateway ${what} was deleted.`],
    };
  },
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
    lister: { path: 'gateway list', account_id },
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

/** What stands for the key is nobody's concern here. */
function withoutKey({ content: _, ...rest }: GatewayRow): Omit<GatewayRow, 'content'> {
  return rest;
}

/** The one of this name; of two, nothing tells which is new. */
function soleNamed(known: readonly GatewayRow[], name: string): GatewayRow | undefined {
  const found = known.filter((gateway) => gateway.name === name);
  return found.length === 1 ? found[0] : undefined;
}

/** `bastion-3 (9, ops at 203.0.113.9)` */
function factsOf({ id, name, username, address }: Omit<GatewayRow, 'content'>): string {
  const at = [username, address].filter(Boolean).join(' at ');
  return `${name} (${[String(id), at].filter(Boolean).join(', ')})`;
}
