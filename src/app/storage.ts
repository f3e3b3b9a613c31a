import type { Host } from '../cli/host.ts';
import type { StorageServices } from '../commands/backup/download.ts';
import type { Fetch } from '../contract/exchange.ts';
import { isLoopback } from '../contract/values/loopback.ts';
import { partsOf } from '../http/api.ts';
import { canRedraw } from '../output/safe/redraw.ts';
import type { OpenSession } from './session.ts';

const second = 1000;
const hour = 3600 * second;

/** Downloads backups from their storage hosts, with a progress line. */
export function storageFor(host: Host, session: () => OpenSession): StorageServices {
  const { env, err, version, platform } = host;
  const network: Fetch = async (address, sink, signal) => {
    const { storageReader } = await import('../http/transport/download.ts');
    // The signature in the address gives access to the backup.
    for (const part of partsOf(new URL(address).search.slice(1))) host.redactor.hide(part);
    const read = storageReader({
      userAgent: `stackops/${version} (${platform})`,
      connectTimeoutMs: 10 * second,
      idleTimeoutMs: 30 * second,
      totalTimeoutMs: 12 * hour,
      isLocal: isLoopback(new URL(session().baseUrl())),
      env,
    });
    return read(address, sink, signal);
  };
  const local: Fetch = async (address, sink, signal) => {
    const { localStorageFetch } = await import('../sandbox/local.ts');
    return localStorageFetch({ file: session().sandboxFile(), now: host.now, warn: session().warn })(
      address,
      sink,
      signal,
    );
  };
  return {
    env,
    platform,
    fetch: (...wanted) => (session().embedded() ? local : network)(...wanted),
    meter: async () => {
      const { createTransfer } = await import('../output/table/transfer.ts');
      const terminal = canRedraw(err, env) && !session().isQuiet;
      return createTransfer({ terminal, err, clock: host.elapsed });
    },
    get signal() {
      return host.signal;
    },
  };
}
