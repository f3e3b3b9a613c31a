import type { Context } from '../../contract/command.ts';
import type { Watch } from '../../contract/observe.ts';
import { clockText } from '../../contract/values/time.ts';
import { defaultEverySeconds, type RateLimit, type Watched, type WatchedState } from '../../contract/watch.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';

const slowFactor = 4;

/** A time between two reads; longer where the service wants fewer requests. */
export function backoffMs(ms: number, rateLimit: RateLimit | undefined): number {
  return rateLimit ? Math.max(ms * slowFactor, rateLimit.forMs) : ms;
}

/** The pace of a watch. `everyMs`: `--every`, in milliseconds. */
export function watchPace(context: Pick<Context, 'rateLimit'>, everyMs: number): ReturnType<Watched['pace']> {
  const rateLimit = context.rateLimit();
  return { everyMs: backoffMs(everyMs, rateLimit), ...(rateLimit && { why: rateLimit.why }) };
}

/** Interval during a deployment, in milliseconds. */
export const deployingMs = 5_000;

interface RepeatedList<Row> {
  /** `--every`, in seconds. */
  readonly every: number | undefined;
  /** Reads the rows; `note` takes lines to show below them. */
  readonly read: (stop: AbortSignal, note: (line: string) => void) => Promise<readonly Row[]>;
  readonly statesOf: (rows: readonly Row[]) => readonly WatchedState[];
  /** The section of the notes. */
  readonly section: string;
  readonly isDeploying?: (rows: readonly Row[]) => boolean;
}

/** Repeats the read of a list. While it fails, its last rows are shown. */
export function watchList<Row>(context: Context, list: RepeatedList<Row>): Watched<readonly Row[]> {
  const { every = defaultEverySeconds, read, statesOf, section, isDeploying = () => false } = list;
  const everyMs = every * 1000;
  let last: { readonly rows: readonly Row[]; readonly at: Date } | undefined;
  return {
    read: async (stop) => {
      const notes: string[] = [];
      try {
        last = { rows: await read(stop, (line) => notes.push(line)), at: context.now() };
      } catch (error) {
        if (!last || !(error instanceof CliError) || isFinal(error)) throw error;
        notes.push(`not read: ${unreadText(error, last.at)}`);
      }
      const states = [...statesOf(last.rows), ...notes.map((state) => ({ section, name: '-', state }))];
      return { value: last.rows, states, notes };
    },
    pauseMs: () => {
      const isFast = last !== undefined && isDeploying(last.rows);
      return backoffMs(isFast ? Math.min(deployingMs, everyMs) : everyMs, context.rateLimit());
    },
    pace: () => watchPace(context, everyMs),
  };
}

/** True for an error that no further read can fix: an invalid token, a deleted stack, or the end of the watch. */
export function isFinal({ kind }: CliError): boolean {
  return ['unauthenticated', 'forbidden', 'not_found', 'interrupted'].includes(kind);
}

/** The reason why a read failed, and the time of the last successful read. */
export function unreadText({ message }: CliError, lastRead: Date | undefined): string {
  return lastRead ? `last read ${clockText(lastRead)}; ${message}` : message;
}

/** Waits until an operation that blocks a change ends in any way. Errors name no request: the change was not sent. */
export async function waitFirst(context: Context, watch: Watch, undone: string): Promise<void> {
  const error = await context.follow(watch).then(() => undefined, expectCliError);
  if (!error || error.kind === 'operation_failed') return;
  throw new CliError(error.kind, `${undone}: ${error.message}`, { hint: error.details.hint });
}
