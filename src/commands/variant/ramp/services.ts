import type { Context, LongRun } from '../../../contract/command.ts';
import type { ProgramServices } from '../../../programs/run.ts';
import type { Services } from '../../services.ts';

export type RampContext = Context & LongRun;

/** What a ramp needs of the process, beyond `Context`. */
export interface RampServices extends ProgramServices, Pick<Services, 'folders' | 'redact'> {
  /** Address of the service and the chosen account: with the stack they tell ramps apart. */
  readonly place: () => readonly string[];
  /** The stack as flag, environment or profile give it. */
  readonly stack: () => string | undefined;
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly deadline: (ms: number) => AbortSignal;
  /** Asks an address once, without a credential; no redirect is followed. */
  readonly probe: Probe;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Probe = (
  url: URL,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<
  | { readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly lost: string; readonly isNetwork: boolean }
>;
