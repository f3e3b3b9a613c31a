import { CliError } from '../errors/cli-error.ts';
import { readOwnFile, type Secrecy } from '../files/own-file.ts';
import { removeLeftovers, replaceFile } from '../files/replace-file.ts';
import { forgetFuture } from './advance.ts';
import { type ScenarioName, type State, stateFormat } from './state.ts';

export interface StoredState extends Secrecy {
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
  const { file, now } = stored;
  const { withLock, replaceState, seedState } = await partsOfChange();
  return withLock(file, () => replaceState(file, JSON.stringify(seedState(now(), scenario))), stored);
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
