import { type CallOperation, type EachPage, writes } from '../contract/operation.ts';

interface Calls {
  readonly call: CallOperation;
  readonly eachPage: EachPage;
}

/**
 * The same calls for a stack whose name is verified beside them: no reply is handed over, and nothing is written, before
 * that. Throws what the verification throws.
 */
export function verifiedCalls({ call, eachPage }: Calls, verified: () => Promise<void>): Calls {
  const afterwards = async <Value>(reading: Promise<Value>): Promise<Value> => {
    reading.catch(() => undefined);
    await verified();
    return reading;
  };
  return {
    async call(operation, input, more) {
      if (writes(operation)) await verified();
      return afterwards(call(operation, input, more));
    },
    eachPage: (operation, input, take, more) => {
      const takeVerified: typeof take = async (rows) => {
        await verified();
        return take(rows);
      };
      return afterwards(eachPage(operation, input, takeVerified, more));
    },
  };
}
