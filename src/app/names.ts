import type { Session } from '../cli/app.ts';
import type { NameCache } from '../completion/name-cache.ts';
import type { Folders } from '../files/folders.ts';
import type { StackCache } from '../targets/stack.ts';

interface CacheSession extends Pick<Session, 'settings' | 'baseUrl'> {
  readonly folders: () => Pick<Folders, 'cache'>;
  readonly embedded: () => unknown;
  readonly tokenFingerprint: () => Promise<string>;
}

/** Opens the name cache of a profile, address and token; undefined in the sandbox, without token or cache folder. */
export async function nameCacheOf(session: CacheSession, now: () => Date): Promise<NameCache | undefined> {
  // Names of the sandbox are not cached: they need no request, and change over time.
  if (session.embedded()) return undefined;
  const { profile } = session.settings;
  try {
    // Another token may see other names, so each token has its own cache.
    const serviceKey = `${session.baseUrl()} ${await session.tokenFingerprint()}`;
    const { openNameCache } = await import('../completion/name-cache.ts');
    return openNameCache(session.folders().cache, profile, serviceKey, now);
  } catch {
    return undefined;
  }
}

/** Maximum age of a cached UID: 30 days. It is long, because a cached UID is verified whenever it is used. */
const maxUidAgeMs = 30 * 86_400_000;

/** Returns the cache of UIDs and titles of stacks, by account and name. It uses the file of the name cache. */
export function createStackCache(getSession: () => CacheSession, now: () => Date): StackCache {
  const openCache = () => nameCacheOf(getSession(), now);
  const keyOf = (name: string) => `found\n${getSession().settings.get('account').value ?? ''}\n${name}`;
  return {
    async find(name) {
      const [stored] = (await openCache())?.find(keyOf(name), maxUidAgeMs) ?? [];
      return stored && { uid: stored.value, by: 'list', ...(stored.about !== '' && { title: stored.about }) };
    },
    async store(name, stack) {
      const names = stack ? [{ value: stack.uid, about: stack.title ?? '' }] : [];
      (await openCache())?.store(keyOf(name), names, maxUidAgeMs);
    },
  };
}
