import type { Run } from '../cli/world.ts';
import type { Input } from '../contract/field.ts';
import type { Observer, Read } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { SentChange } from './journal/event.ts';
import type { Journal } from './journal/journal.ts';

export interface ChangeParts {
  readonly call: Read;
  /** Reads that check a change: short, since they are repeated anyway. */
  readonly read: Read;
  readonly stackName: (uid: string) => string;
  readonly journal: () => Promise<Journal>;
  /** Whose service is changed; the sandbox has no address. */
  readonly origin: () => Pick<SentChange, 'profile' | 'address' | 'account'>;
}

/** One change under way. */
export interface ActiveWrite {
  readonly parts: ChangeParts;
  readonly run: Run;
  readonly operation: Operation;
  readonly input: Input;
  /** Whether it is watched to its end. */
  readonly wait: boolean;
  readonly observer: Observer | undefined;
}
