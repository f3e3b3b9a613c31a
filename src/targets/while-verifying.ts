import type { ResolveTarget, TargetKind } from '../contract/field.ts';
import { type Calls, writes } from '../contract/operation.ts';
import { type FoundStack, isUid } from './stack.ts';

/** Stacks of earlier runs by name. */
export interface StackCache {
  find(name: string): Promise<FoundStack | undefined>;
  /** Stores the stack of this name; undefined removes it. */
  store(name: string, stack: FoundStack | undefined): Promise<void>;
}

/** A stored name now belongs to another stack than the one read. */
class StaleStackError extends Error {}

/** Runs `work`, and again if it ran for a stale stack. */
export async function retryIfStale<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaleStackError)) throw error;
    return work();
  }
}

/** For a read: uses the stored stack at once and looks up its name in parallel. */
export function whileVerifying({
  find,
  note,
  resolve,
  setting,
  cache,
}: {
  /** Looks up a stack and remembers it. */
  readonly find: (name: string) => Promise<FoundStack>;
  /** Remembers a stack; returns its UID. */
  readonly note: (stack: FoundStack, name: string) => string;
  readonly resolve: ResolveTarget;
  readonly setting: (target: TargetKind) => string | undefined;
  readonly cache: StackCache;
}) {
  let verification: Promise<void> | undefined;
  /** Throws the error of the lookup, and StaleStackError when the name belongs to another stack now. */
  const verified = async (): Promise<void> => verification;

  async function verify(name: string, uid: string): Promise<void> {
    const now = await find(name).catch(async (error: unknown) => {
      await cache.store(name, undefined);
      throw error;
    });
    if (now.uid === uid) return;
    await cache.store(name, now);
    throw new StaleStackError();
  }

  const resolveStored: ResolveTarget = async (field, word, resolved) => {
    const name = word ?? (field.target && setting(field.target));
    if (field.target !== 'stack' || !name || isUid(name)) {
      // Any other target is inside the stack.
      if (!name) await verified();
      return resolve(field, word, resolved);
    }
    const before = verification === undefined ? await cache.find(name) : undefined;
    if (!before) {
      const found = await find(name);
      if (found.by === 'list') await cache.store(name, found);
      verification = Promise.resolve();
      return found.uid;
    }
    verification = verify(name, before.uid);
    verification.catch(() => undefined);
    return note(before, name);
  };
  return { resolve: resolveStored, verified };
}

/** Holds back replies and writes until the stack's name is verified. */
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
