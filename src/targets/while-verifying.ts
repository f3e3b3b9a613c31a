import type { ResolveTarget, TargetKind } from '../contract/field.ts';
import { type Calls, writes } from '../contract/operation.ts';
import { type FoundStack, isUid } from './stack.ts';

/** Stacks by the names they were found by before. */
export interface KeptStacks {
  find(name: string): Promise<FoundStack | undefined>;
  /** Keeps what the name means now; undefined for nothing. */
  keep(name: string, stack: FoundStack | undefined): Promise<void>;
}

/** Says that a name means another stack than the one that was read. */
class StaleStackError extends Error {}

/** Does the work, and once more where the stack it was done for turned out to be another one. */
export async function retryIfStale<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaleStackError)) throw error;
    return work();
  }
}

/** For a read: a stack that was found before is taken to be the same, and looked up beside the read. */
export function whileVerifying({
  find,
  note,
  resolve,
  setting,
  kept,
}: {
  /** Looks up a stack, and takes note of it. */
  readonly find: (name: string) => Promise<FoundStack>;
  /** Takes note of a stack; returns its UID. */
  readonly note: (stack: FoundStack, name: string) => string;
  readonly resolve: ResolveTarget;
  readonly setting: (place: TargetKind) => string | undefined;
  readonly kept: KeptStacks;
}) {
  let verification: Promise<void> | undefined;
  /** Throws what looking up the stack throws, and `StackMoved` where it is another one by now. */
  const verified = async (): Promise<void> => verification;

  async function verify(name: string, uid: string): Promise<void> {
    const now = await find(name).catch(async (error: unknown) => {
      await kept.keep(name, undefined);
      throw error;
    });
    if (now.uid === uid) return;
    await kept.keep(name, now);
    throw new StaleStackError();
  }

  const place: ResolveTarget = async (field, word, placed) => {
    const name = word ?? (field.target && setting(field.target));
    if (field.target !== 'stack' || !name || isUid(name)) {
      // What else is looked up lies in the stack.
      if (!name) await verified();
      return resolve(field, word, placed);
    }
    const before = verification === undefined ? await kept.find(name) : undefined;
    if (!before) {
      const found = await find(name);
      if (found.by === 'list') await kept.keep(name, found);
      verification = Promise.resolve();
      return found.uid;
    }
    verification = verify(name, before.uid);
    verification.catch(() => undefined);
    return note(before, name);
  };
  return { place, verified };
}

/** The same calls for a stack whose name is verified beside them: before that nothing is handed over or written. */
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
