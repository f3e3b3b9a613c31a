import type { Host } from '../cli/host.ts';
import type { Meter } from '../commands/backup/save.ts';
import type { DownloadFile } from '../contract/exchange.ts';
import { isLoopback } from '../contract/values/text.ts';
import { secretParts } from '../http/api.ts';
import { canRedraw } from '../output/safe/create-output.ts';
import type { OpenSession } from './session.ts';

const secondMs = 1000;
const hourMs = 3600 * secondMs;

/** Returns a function that downloads a file of a backup from its storage host, or from the sandbox. */
export function createStorageDownload(
  { env, version, platform, redactor, now }: Host,
  session: OpenSession,
): DownloadFile {
  return async (address, sink, signal) => {
    if (session.embedded()) {
      const { localStorageFetch } = await import('../sandbox/local.ts');
      const { warn } = session;
      return localStorageFetch({ file: session.sandboxFile(), now, warn })(address, sink, signal);
    }
    const { createStorageReader } = await import('../http/transport/download.ts');
    // The signature in the address gives access to the backup, so no message may show it.
    for (const part of secretParts(new URL(address).search.slice(1))) redactor.hide(part);
    const readStorage = createStorageReader({
      userAgent: `stackops/${version} (${platform})`,
      connectTimeoutMs: 10 * secondMs,
      idleTimeoutMs: 30 * secondMs,
      totalTimeoutMs: 12 * hourMs,
      isServiceLocal: isLoopback(new URL(session.baseUrl())),
      env,
    });
    return readStorage(address, sink, signal);
  };
}

export async function createMeter({ env, err, elapsed }: Host, { isQuiet }: OpenSession): Promise<Meter> {
  const { createTransfer } = await import('../output/table/transfer.ts');
  return createTransfer({ terminal: canRedraw(err, env) && !isQuiet, err, clock: elapsed });
}
