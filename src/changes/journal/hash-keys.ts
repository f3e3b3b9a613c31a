import { join } from 'node:path';
import type { Folders } from '../../files/folders.ts';
import { readJsonFile } from '../../files/json-file.ts';
import { withLock } from '../../files/lock/lock.ts';
import { removeFile, replaceTextFile } from '../../files/text-file.ts';

/** The key for the hashes of one day. It is kept apart from the journal, which alone gives no value away. */
export interface HashKey {
  /** When it was made: ISO, UTC. */
  readonly name: string;
  readonly secret: string;
}

export type HashKeys = ReturnType<typeof openHashKeys>;

interface HashKeysParts {
  readonly folders: () => Pick<Folders, 'config'>;
  readonly now: () => Date;
  readonly warn: (line: string) => void;
}

/** The keys of this machine, which the sandbox uses too. Each function throws usage when their file cannot be used. */
export function openHashKeys({ folders, now, warn }: HashKeysParts) {
  const file = () => join(folders().config, 'journal-keys.json');
  const recent = (): readonly HashKey[] => {
    let isExposed = false;
    const exposed = () => {
      isExposed = true;
    };
    const found = Object.entries(readJsonFile(file(), { warn, exposed }) ?? {});
    // Whoever could write it may have put in a key of their own.
    if (isExposed) removeFile(file());
    return found.flatMap(([name, secret]) =>
      !isExposed && isRecent(name, now()) && typeof secret === 'string' ? [{ name, secret }] : [],
    );
  };
  const ofToday = () => recent().find(({ name }) => name.slice(0, 10) === now().toISOString().slice(0, 10));
  const make = (): HashKey => {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
    const made = { name: now().toISOString(), secret };
    const all = [...recent(), made].map((key) => [key.name, key.secret]);
    replaceTextFile(file(), `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
    return made;
  };
  return {
    recent,
    /** Makes one if there is none, and deletes those of more than 30 days ago. Another program may do so meanwhile. */
    ofToday: async () => ofToday() ?? withLock(file(), () => ofToday() ?? make(), { warn }),
    /** For a journal that others could change: without its key no hash counts, whoever repairs the rights. */
    forget: () => {
      removeFile(file());
      warn('other users could change files in the state folder: "history undo" no longer undoes earlier changes');
    },
  };
}

/** Whether a key of that name is still kept. */
export function isRecent(name: string, now: Date): boolean {
  return Math.abs(now.getTime() - Date.parse(name)) < 30 * 24 * 3_600_000;
}
