/** Characters and values to process before timers, signals and sockets run. */
export const charactersPerTurn = 1_000_000;
export const valuesPerTurn = 10_000;

/** Lets the event loop run once; rejects with the reason of an aborted signal. */
export async function turn(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
