import { CliError } from '../errors/cli-error.ts';
import { type PrivacyOptions, readOwnFile } from '../files/own-file.ts';
import { removeLeftovers, replaceFile } from '../files/replace-file.ts';
import { titleOf } from '../resources/stack.ts';
import { forgetFuture } from './advance.ts';
import { stamp } from './seed/made-up.ts';
import { type CopyOrigin, type ScenarioName, type State, stateFormat } from './state.ts';

export interface StoredState extends PrivacyOptions {
  /** Absolute path of the file; created when missing. */
  readonly file: string;
  readonly now: () => Date;
}

/**
 * Runs `work` on the stored state under a lock and saves the result. Without a file it starts a new state. Throws usage
 * if the file is not a state of this version.
 */
export async function changeStored<T>(stored: StoredState, work: (state: State) => T): Promise<T> {
  const { file, now } = stored;
  const { withLock, replaceState, seedState } = await partsOfChange();
  const change = () => {
    const before = readOwnFile(file, stored);
    const state = before === undefined ? seedState(now()) : parseState(file, before);
    const result = work(state);
    const after = JSON.stringify(state);
    if (after !== before) replaceState(file, after);
    return result;
  };
  return withLock(file, change, stored);
}

/**
 * Runs `read` on the stored state without saving: the next read computes the effects of time again. It needs no lock
 * unless the state must be created. Throws usage like `changeStored`.
 */
export async function readStored<T>(stored: StoredState, read: (state: State) => T): Promise<T> {
  const { file, now } = stored;
  const text = readOwnFile(file, stored);
  if (text === undefined) return changeStored(stored, read);
  const state = parseState(file, text);
  // Saved, because otherwise running operations would restart with each read.
  return forgetFuture(state, now()) ? changeStored(stored, read) : read(state);
}

/** Replaces the file with the seed, or a scenario. */
export async function resetStored(stored: StoredState, scenario?: ScenarioName): Promise<void> {
  const { seedState } = await partsOfChange();
  await replaceStored(stored, seedState(stored.now(), scenario), () => true);
}

/** Replaces the file by `next` if `mayReplace` allows it under the lock; the state is undefined without a file. */
export async function replaceStored(
  stored: StoredState,
  next: State,
  mayReplace: (read: () => State | undefined) => boolean,
): Promise<boolean> {
  const { file } = stored;
  const { withLock, replaceState } = await partsOfChange();
  const replace = () => {
    const isAllowed = mayReplace(() => peekStored(stored));
    if (isAllowed) replaceState(file, JSON.stringify(next));
    return isAllowed;
  };
  return withLock(file, replace, stored);
}

/** The state as it was saved; undefined without a file. Throws usage like `changeStored`. */
export function peekStored(stored: Omit<StoredState, 'now'>): State | undefined {
  const text = readOwnFile(stored.file, stored);
  return text === undefined ? undefined : parseState(stored.file, text);
}

async function partsOfChange() {
  // Imported here, because most reads need neither lock nor seed.
  const [{ withLock }, { seedState }] = await Promise.all([import('../files/lock.ts'), import('./seed/seed.ts')]);
  const replaceState = (file: string, text: string) => {
    removeLeftovers(file);
    replaceFile(file, text, { force: true });
  };
  return { withLock, replaceState, seedState };
}

/** The line that a command of `--sandbox` prints if the stored state is a copy. Never throws. */
export function storedNotice(file: string, now: Date): string | undefined {
  try {
    const text = readOwnFile(file, { warn: () => {}, keepsRights: true });
    // Most states are no copy, and need no second parsing.
    return text?.includes('"copy":{') ? copyNotice(parseState(file, text), now) : undefined;
  } catch {
    return undefined;
  }
}

/** `sandbox: copy of shop/production, 14:02 UTC; without settings (no admin scope)`; undefined if it is no copy. */
export function copyNotice({ stacks, copy }: Pick<State, 'stacks' | 'copy'>, now: Date): string | undefined {
  if (!copy) return undefined;
  const titles = stacks.map(({ row }) => titleOf(row)).join(' and ');
  const { at, without } = copy;
  const day = at.slice(0, 10) === stamp(now).slice(0, 10) ? '' : `${at.slice(0, 10)} `;
  const missing = without.length === 0 ? '' : `; without ${missingText(without)}`;
  return `sandbox: copy of ${titles}, ${day}${at.slice(11, 16)} UTC${missing}`;
}

/** `settings (no admin scope), server settings (503)` */
export function missingText(without: CopyOrigin['without']): string {
  return [...new Set(without.map(({ label, why }) => `${label} (${why})`))].join(', ');
}

function parseState(file: string, text: string): State {
  try {
    const value = JSON.parse(text) as State | null;
    // Only this tool writes the file, and always as a whole.
    if (value?.format === stateFormat) return value;
  } catch {
    // Not JSON: reported below like other invalid content.
  }
  throw new CliError('usage', `the sandbox state in ${file} is damaged or from another version`, {
    hint: { path: 'sandbox reset' },
  });
}
