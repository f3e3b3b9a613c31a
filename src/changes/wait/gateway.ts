import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { type Gateway, gateways } from '../../resources/gateway.ts';
import { settled } from './settled.ts';

type Row = RecordOf<typeof Gateway>;
type CreateInput = InputOf<typeof gateways.create>;
type UpdateInput = InputOf<typeof gateways.update>;

/** Created when there is one of that name which was not there before. */
export const createGatewayObserver: Observer<CreateInput, readonly number[], Acknowledgement> = {
  note: async (read, input) => (await listOf(read, input)).map(({ id }) => id),
  look: async (read, input, note) => {
    const fresh = (await listOf(read, input)).filter(({ id, name }) => name === input.name && !note?.includes(id));
    return note && fresh.length === 1 ? settled : undefined;
  },
};

/** A key is never shown, and neither is the time to live that was sent; a change of either cannot be seen. */
export const updateGatewayObserver: Observer<UpdateInput, undefined, Acknowledgement> = {
  canShow: ({ content, ttl }) => content === undefined && ttl === undefined,
  look: async (read, input) => {
    const { account_id: _, id, content: __, ttl: ___, ...plain } = input;
    const found = (await listOf(read, input)).find((one) => one.id === id);
    const isEqual = found && Object.entries(plain).every(([field, value]) => found[field as keyof Row] === value);
    return isEqual ? settled : undefined;
  },
};

export const deleteGatewayObserver: Observer<InputOf<typeof gateways.delete>, undefined, true> = {
  look: async (read, input) => ((await listOf(read, input)).some(({ id }) => id === input.id) ? undefined : true),
};

async function listOf(read: Read, { account_id }: Pick<CreateInput, 'account_id'>): Promise<readonly Row[]> {
  return read(gateways.list, { account_id });
}
