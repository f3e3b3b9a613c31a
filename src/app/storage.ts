import type { Host } from '../cli/host.ts';
import type { Meter } from '../commands/backup/save.ts';
import type { RunDownload } from '../contract/exchange.ts';
import { isLoopback } from '../contract/values/text.ts';
import { secretParts } from '../http/api.ts';
import { canRedraw } from '../output/safe/create-output.ts';
import type { OpenSession } from './session.ts';

export function createStorageDownload(host: Host, session: OpenSession): RunDownload {
  const { env, version, platform, redactor, now } = host;
  return async (address, sink, signal) => {
    if (session.embedded()) {
      const { createStorageFetch } = await import('../sandbox/local.ts');
      return createStorageFetch({ file: session.sandboxFile(), now, warn: session.warn })(address, sink, signal);
    }
    const { createStorageReader } = await import('../http/transport/download.ts');
    // The signature in the address gives access to the backup, so no message may show it.
    for (const part of secretParts(new URL(address).search.slice(1))) redactor.hide(part);
    const readStorage = createStorageReader({
      userAgent: `stackops/${version} (${platform})`,
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 30_000,
      totalTimeoutMs: 12 * 3_600_000,
      isServiceLocal: isLoopback(new URL(session.baseUrl())),
      env,
    });
    return readStorage(address, sink, signal);
  };
}

export async function createMeter({ env, err, elapsed }: Host, { isQuiet }: OpenSession): Promise<Meter> {
  const { createTransferProgress } = await import('../output/table/transfer.ts');
  return createTransferProgress({ terminal: canRedraw(err, env) && !isQuiet, err, clock: elapsed });
}
