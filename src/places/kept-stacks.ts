import type { FoundStack } from './stack.ts';

/** Stacks by the names they were found by before. */
export interface KeptStacks {
  find(name: string): Promise<FoundStack | undefined>;
  /** Keeps what the name means now; undefined for nothing. */
  keep(name: string, stack: FoundStack | undefined): Promise<void>;
}

/** Says that a name means another stack than the one that was read. */
export class StackMoved extends Error {}

/** Does the work, and once more where the stack it was done for turned out to be another one. */
export async function againIfMoved<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StackMoved)) throw error;
    return work();
  }
}
