import type { Place, ResolvePlace } from '../contract/field.ts';
import { type KeptStacks, StackMoved } from './kept-stacks.ts';
import { type FoundStack, isUid } from './stack.ts';

interface BesideParts {
  /** Looks up a stack, and takes note of it. */
  readonly find: (name: string) => Promise<FoundStack>;
  /** Takes note of a stack; returns its UID. */
  readonly note: (stack: FoundStack, name: string) => string;
  readonly resolve: ResolvePlace;
  readonly setting: (place: Place) => string | undefined;
  readonly kept: KeptStacks;
}

export interface PlacesBeside {
  /** For a read: a stack that was found before is taken to be the same, and looked up beside the read. */
  readonly resolveBeside: ResolvePlace;
  /** Throws what looking up the stack throws, and `StackMoved` where it is another one by now. */
  readonly verified: () => Promise<void>;
}

export function placesBeside({ find, note, resolve, setting, kept }: BesideParts): PlacesBeside {
  let verification: (() => Promise<void>) | undefined;
  const verified = async () => verification?.();

  async function verify(name: string, uid: string): Promise<void> {
    const now = await find(name).catch(async (error: unknown) => {
      await kept.keep(name, undefined);
      throw error;
    });
    if (now.uid === uid) return;
    await kept.keep(name, now);
    throw new StackMoved();
  }

  const resolveBeside: ResolvePlace = async (field, word, placed) => {
    const name = word ?? (field.place && setting(field.place));
    if (field.place !== 'stack' || !name || isUid(name)) {
      // What else is looked up lies in the stack.
      if (!name) await verified();
      return resolve(field, word, placed);
    }
    const before = verification ? undefined : await kept.find(name);
    if (!before) {
      const found = await find(name);
      if (found.by === 'list') await kept.keep(name, found);
      verification = async () => undefined;
      return found.uid;
    }
    const verifying = verify(name, before.uid);
    verifying.catch(() => undefined);
    verification = () => verifying;
    return note(before, name);
  };
  return { resolveBeside, verified };
}
