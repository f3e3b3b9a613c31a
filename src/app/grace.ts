import type { Host } from '../cli/host.ts';
import type { Grace } from '../http/transport/http-exchange.ts';

const graceMs: Readonly<Record<string, number>> = { SIGINT: 5_000, SIGTERM: 2_000, SIGHUP: 2_000 };

/** A response in this time tells the operator whether the change was applied. */
export function graceFor({ err, insist }: Host): Grace {
  const cut = new AbortController();
  let said = false;
  return {
    cut: cut.signal,
    msAfter: (reason) => graceMs[String(reason)] ?? 0,
    begun: (ms) => {
      insist?.(() => cut.abort());
      if (!err.terminal || said) return;
      said = true;
      void err.lines([`interrupted; waiting up to ${ms / 1000} s for the response to the change`]);
    },
  };
}
