import { dirname, join } from 'node:path';
import type { Folders } from '../files/folders.ts';
import { readJsonFile } from '../files/json-file.ts';
import { preparePrivateFolder } from '../files/private-folder.ts';
import { readTextFile, replaceTextFile } from '../files/text-file.ts';
import type { Name } from './candidate.ts';

/** Lists of names as they were read a moment ago. */
export interface NameCache {
  /** The names under a key that are not older than this, in milliseconds. */
  find(key: string, maxAgeMs: number): readonly Name[] | undefined;
  /** Keeps them for an hour, or so many milliseconds, where that can be done; nothing is said where it cannot. */
  keep(key: string, names: readonly Name[], forMs?: number): void;
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
  readonly forMs?: number;
  readonly names: readonly Name[];
}

const hourMs = 3_600_000;
const mostNames = 1000;
const noWarning = { warn: () => undefined };

/** One file for each profile, ours alone; a file that is not what it should be is as good as none. */
export function openNameCache({ folder, profile, service, now }: CacheOrigin): NameCache {
  const file = fileOf(folder, profile);
  const ageOf = ({ atMs }: Kept) => now().getTime() - atMs;
  const isUsable = (kept: Kept, maxAgeMs: number) => ageOf(kept) >= 0 && ageOf(kept) <= maxAgeMs;
  return {
    find: (key, maxAgeMs) => {
      const kept = readLists(file, service).get(key);
      return kept && isUsable(kept, maxAgeMs) ? kept.names : undefined;
    },
    keep: (key, names, forMs = hourMs) => {
      const old = [...readLists(file, service)].filter(([, kept]) => isUsable(kept, kept.forMs ?? hourMs));
      const fresh: Kept = { atMs: now().getTime(), forMs, names: names.slice(0, mostNames) };
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

/** Removes all names of a profile: whoever signs in next may see others. */
export function forgetNames(folders: () => Pick<Folders, 'cache'>, profile: string): void {
  try {
    const file = fileOf(folders().cache, profile);
    if (readTextFile(file) !== undefined) replaceTextFile(file, '{}\n');
  } catch {
    // Names are kept by address and token too.
  }
}

function fileOf(folder: string, profile: string): string {
  return join(folder, 'completion', `${profile}.json`);
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
  const { atMs, forMs = hourMs, names } = (value ?? {}) as Partial<Kept>;
  return typeof atMs === 'number' && typeof forMs === 'number' && Array.isArray(names) && names.every(isName);
}

function isName(value: unknown): value is Name {
  const { value: name, about, at } = (value ?? {}) as Partial<Name>;
  return typeof name === 'string' && typeof about === 'string' && ['string', 'undefined'].includes(typeof at);
}
