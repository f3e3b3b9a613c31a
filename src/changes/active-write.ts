import type { Host } from '../cli/host.ts';
import type { WriteOptions } from '../cli/world.ts';
import type { Read } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Slowdown } from '../contract/watch.ts';
import type { SentChange } from './journal/event.ts';
import type { Journal } from './journal/journal.ts';

export interface ChangeParts {
  readonly host: Host;
  readonly call: Read;
  /** Reads that check a change: short, since they are repeated anyway. */
  readonly read: Read;
  readonly stackName: (uid: string) => string;
  readonly slowdown: () => Slowdown | undefined;
  readonly journal: () => Promise<Journal>;
  /** Whose service is changed; the sandbox has no address. */
  readonly origin: () => Pick<SentChange, 'profile' | 'address' | 'account'>;
}

/** One change under way. */
export interface ActiveWrite {
  readonly parts: ChangeParts;
  readonly options: WriteOptions;
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
}
