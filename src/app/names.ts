import type { Session } from '../cli/world.ts';
import type { NameCache } from '../completion/name-cache.ts';
import type { Folders } from '../files/folders.ts';
import type { KeptStacks } from '../places/kept-stacks.ts';

/** The session whose names they are. */
interface CacheOwner extends Pick<Session, 'settings' | 'baseUrl'> {
  readonly folders: () => Pick<Folders, 'cache'>;
  readonly embedded: () => unknown;
  readonly tokenMark: () => Promise<string>;
}

/** The names of one profile, address and token; undefined where there is no place for them, and in the sandbox. */
export async function openNames(session: CacheOwner, now: () => Date): Promise<NameCache | undefined> {
  // There names cost nothing, and change as time goes by.
  if (session.embedded()) return undefined;
  const { profile } = session.settings;
  try {
    // Another token sees other names.
    const service = `${session.baseUrl()} ${await session.tokenMark()}`;
    const { openNameCache } = await import('../completion/name-cache.ts');
    return openNameCache({ folder: session.folders().cache, profile, service, now });
  } catch {
    return undefined;
  }
}

const dayMs = 86_400_000;
/** A kept UID is verified whenever it is used, so it may be old. */
const keptMs = 30 * dayMs;

/** UIDs and titles of stacks in the same file, by account. */
export function keptStacks(owner: () => CacheOwner, now: () => Date): KeptStacks {
  const open = () => openNames(owner(), now);
  const keyOf = (name: string) => `found\n${owner().settings.get('account').value ?? ''}\n${name}`;
  return {
    async find(name) {
      const [kept] = (await open())?.find(keyOf(name), keptMs) ?? [];
      return kept && { uid: kept.value, by: 'list', title: kept.about };
    },
    async keep(name, stack) {
      (await open())?.keep(keyOf(name), stack ? [{ value: stack.uid, about: stack.title ?? '' }] : [], keptMs);
    },
  };
}
