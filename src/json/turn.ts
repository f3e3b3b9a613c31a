/** Characters and values that are worked on before timers, signals and sockets get their turn. */
export const charactersPerTurn = 1_000_000;
export const valuesPerTurn = 10_000;

/** Gives the event loop back once; rejects with the reason of a signal that was aborted meanwhile. */
export async function turn(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
