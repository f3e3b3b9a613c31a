import { dirname, join } from 'node:path';
import { readJsonFile } from '../files/json-file.ts';
import { preparePrivateFolder } from '../files/private-folder.ts';
import { replaceTextFile } from '../files/text-file.ts';
import type { Name } from './candidate.ts';

/** Lists of names as they were read a moment ago. */
export interface NameCache {
  /** The names under a key that are not older than this, in milliseconds. */
  find(key: string, maxAgeMs: number): readonly Name[] | undefined;
  /** Keeps them where that can be done; nothing is said where it cannot. */
  keep(key: string, names: readonly Name[]): void;
}

export interface CacheOrigin {
  /** Our folder of things that may go at any time. */
  readonly folder: string;
  readonly profile: string;
  /** The address and the token whose names they are: a profile may be pointed at another one. */
  readonly service: string;
  readonly now: () => Date;
}

interface Kept {
  readonly atMs: number;
  readonly names: readonly Name[];
}

const longestMs = 3_600_000;
const mostNames = 1000;
const noWarning = { warn: () => undefined };

/** One file for each profile, ours alone; a file that is not what it should be is as good as none. */
export function openNameCache({ folder, profile, service, now }: CacheOrigin): NameCache {
  const file = join(folder, 'completion', `${profile}.json`);
  const ageOf = ({ atMs }: Kept) => now().getTime() - atMs;
  const isUsable = (kept: Kept, maxAgeMs: number) => ageOf(kept) >= 0 && ageOf(kept) <= maxAgeMs;
  return {
    find: (key, maxAgeMs) => {
      const kept = readLists(file, service).get(key);
      return kept && isUsable(kept, maxAgeMs) ? kept.names : undefined;
    },
    keep: (key, names) => {
      const old = [...readLists(file, service)].filter(([, kept]) => isUsable(kept, longestMs));
      const fresh: Kept = { atMs: now().getTime(), names: names.slice(0, mostNames) };
      const lists = Object.fromEntries([...old, [key, fresh] as const]);
      try {
        preparePrivateFolder(dirname(file));
        replaceTextFile(file, `${JSON.stringify({ service, lists })}\n`);
      } catch {
        // The next TAB asks again.
      }
    },
  };
}

function readLists(file: string, service: string): ReadonlyMap<string, Kept> {
  try {
    const content = readJsonFile(file, noWarning);
    if (content?.['service'] !== service) return new Map();
    return new Map(Object.entries(content['lists'] ?? {}).filter((entry): entry is [string, Kept] => isKept(entry[1])));
  } catch {
    return new Map();
  }
}

function isKept(value: unknown): value is Kept {
  const { atMs, names } = (value ?? {}) as Partial<Kept>;
  return typeof atMs === 'number' && Array.isArray(names) && names.every(isName);
}

function isName(value: unknown): value is Name {
  const { value: name, about, at } = (value ?? {}) as Partial<Name>;
  return typeof name === 'string' && typeof about === 'string' && ['string', 'undefined'].includes(typeof at);
}
