import { dirname, join } from 'node:path';
import type { Folders } from '../files/folders.ts';
import { readJsonFile } from '../files/json-file.ts';
import { preparePrivateFolder } from '../files/private-folder.ts';
import { replaceFile } from '../files/replace-file.ts';

export type Candidate = { readonly value: string; readonly about: string };

/** The name of one resource. Its texts never include a value, because a value could be secret. */
export interface Name extends Candidate {
  readonly at?: string;
}

export type NameCache = ReturnType<typeof openNameCache>;

type Entry = { readonly atMs: number; readonly forMs: number; readonly names: readonly Name[] };

const hourMs = 3_600_000;
const maxNames = 20_000;
const noWarning = { warn: () => undefined };

/** Opens the cache of a profile, a private file. A file with another `serviceKey` (address, token) counts as empty. */
export function openNameCache(folder: string, profile: string, serviceKey: string, now: () => Date) {
  const file = fileOf(folder, profile);
  const isFresh = ({ atMs, forMs }: Entry, maxAgeMs: number) => {
    const ageMs = now().getTime() - atMs;
    return ageMs >= 0 && ageMs <= Math.min(maxAgeMs, forMs);
  };
  return {
    /** Returns the names of a key; undefined if they are older than `maxAgeMs` or the time they were stored for. */
    find: (key: string, maxAgeMs: number): readonly Name[] | undefined => {
      const entry = readEntries(file, serviceKey).get(key);
      return entry && isFresh(entry, maxAgeMs) ? entry.names : undefined;
    },
    /** Stores names for `forMs`, by default for an hour. A failure is silent. */
    store: (key: string, names: readonly Name[], forMs = hourMs): void => {
      const oldEntries = [...readEntries(file, serviceKey)].filter(([, entry]) => isFresh(entry, entry.forMs));
      const newEntry: Entry = { atMs: now().getTime(), forMs, names: names.slice(0, maxNames) };
      const lists = Object.fromEntries([...oldEntries, [key, newEntry] as const]);
      try {
        preparePrivateFolder(dirname(file));
        replaceFile(file, `${JSON.stringify({ service: serviceKey, lists })}\n`, { force: true });
      } catch {
        // Nothing was stored, so the next TAB sends the request again.
      }
    },
  };
}

/** Removes all cached names of a profile, because the token of the next sign-in may see other names. */
export function forgetNames(folders: () => Pick<Folders, 'cache'>, profile: string): void {
  try {
    const file = fileOf(folders().cache, profile);
    if (readJsonFile(file, noWarning)) replaceFile(file, '{}\n', { force: true });
  } catch {
    // A failure is harmless, because the cache is also checked against address and token.
  }
}

function fileOf(folder: string, profile: string): string {
  return join(folder, 'completion', `${profile}.json`);
}

function readEntries(file: string, serviceKey: string): ReadonlyMap<string, Entry> {
  try {
    const content = readJsonFile(file, noWarning);
    if (content?.['service'] !== serviceKey) return new Map();
    const entries = Object.entries(content['lists'] ?? {});
    return new Map(entries.filter((entry): entry is [string, Entry] => isEntry(entry[1])));
  } catch {
    return new Map();
  }
}

function isEntry(value: unknown): value is Entry {
  const { atMs, forMs, names } = (value ?? {}) as Partial<Entry>;
  return typeof atMs === 'number' && typeof forMs === 'number' && Array.isArray(names) && names.every(isName);
}

function isName(value: unknown): value is Name {
  const { value: name, about, at } = (value ?? {}) as Partial<Name>;
  return typeof name === 'string' && typeof about === 'string' && ['string', 'undefined'].includes(typeof at);
}
