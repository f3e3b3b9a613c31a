import type { LongRun } from '../../../contract/command.ts';
import type { ProgramServices } from '../../../programs/run.ts';
import type { Services } from '../../services.ts';

export interface RampServices extends ProgramServices, Pick<Services, 'folders' | 'redact'> {
  /** Address of the service and the chosen account. */
  readonly place: () => readonly string[];
  /** The stack as typed, or as the environment or the profile name it. */
  readonly stack: () => string | undefined;
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly deadline: (ms: number) => AbortSignal;
  /** Sends one request without a credential; no redirect is followed. */
  readonly probe: Probe;
}

/** The parts of the process that a ramp needs beyond `Context`. */
export type RampHost = RampServices & LongRun;

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Probe = (
  url: URL,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<
  | { readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly lost: string; readonly isNetwork: boolean }
>;
