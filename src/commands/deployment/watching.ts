import type { Context } from '../../contract/command.ts';
import { clockText } from '../../contract/values/time.ts';
import { defaultEverySeconds, type RateLimit, type WatchedRead, type WatchedState } from '../../contract/watch.ts';
import { CliError } from '../../errors/cli-error.ts';

const rateLimitFactor = 4;

/** Returns `ms`, the time between two reads, or a longer time while the service asks for fewer requests. */
export function backoffMs(ms: number, rateLimit: RateLimit | undefined): number {
  return rateLimit ? Math.max(ms * rateLimitFactor, rateLimit.forMs) : ms;
}

export function watchPace(context: Pick<Context, 'rateLimit'>, everyMs: number): ReturnType<WatchedRead['pace']> {
  const rateLimit = context.rateLimit();
  return { everyMs: backoffMs(everyMs, rateLimit), ...(rateLimit && { why: rateLimit.why }) };
}

/** The longest time between two reads during a deployment. */
export const deployingIntervalMs = 5_000;

interface RepeatedList<Row> {
  /** `--every`, in seconds. */
  readonly every: number | undefined;
  /** Reads the rows. `note` takes a line to show below the rows. */
  readonly read: (stop: AbortSignal, note: (line: string) => void) => Promise<readonly Row[]>;
  readonly statesOf: (rows: readonly Row[]) => readonly WatchedState[];
  /** The section name of the watched states that are made from notes. */
  readonly section: string;
  readonly isDeploying?: (rows: readonly Row[]) => boolean;
}

/** Returns a watch that repeats the read of a list. While the read fails, the last rows are shown. */
export function watchList<Row>(context: Context, list: RepeatedList<Row>): WatchedRead<readonly Row[]> {
  const { every = defaultEverySeconds, read, statesOf, section, isDeploying = () => false } = list;
  const everyMs = every * 1000;
  let lastRead: { readonly rows: readonly Row[]; readonly at: Date } | undefined;
  return {
    read: async (stop) => {
      const notes: string[] = [];
      try {
        lastRead = { rows: await read(stop, (line) => notes.push(line)), at: context.now() };
      } catch (error) {
        if (!lastRead || !(error instanceof CliError) || isFinalError(error)) throw error;
        notes.push(`not read: ${readFailureText(error, lastRead.at)}`);
      }
      const states = [...statesOf(lastRead.rows), ...notes.map((state) => ({ section, name: '-', state }))];
      return { value: lastRead.rows, states, notes };
    },
    msUntilDue: () => {
      const isFast = lastRead !== undefined && isDeploying(lastRead.rows);
      return backoffMs(isFast ? Math.min(deployingIntervalMs, everyMs) : everyMs, context.rateLimit());
    },
    pace: () => watchPace(context, everyMs),
  };
}

/** True for an error that no further read can fix: an invalid token, a deleted stack, or the end of the watch. */
export function isFinalError({ kind }: CliError): boolean {
  return ['unauthenticated', 'forbidden', 'not_found', 'interrupted'].includes(kind);
}

/** Returns the reason why a read failed. If a read succeeded before, the text begins with the time of that read. */
export function readFailureText({ message }: CliError, lastReadAt: Date | undefined): string {
  return lastReadAt ? `last read ${clockText(lastReadAt)}; ${message}` : message;
}
