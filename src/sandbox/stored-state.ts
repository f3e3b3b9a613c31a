import { withLock } from '../files/lock.ts';
import { readOwnFile, type Secrecy } from '../files/own-file.ts';
import { replaceTextFile } from '../files/text-file.ts';
import { Problem } from '../problems/problem.ts';
import { seedState } from './seed.ts';
import { type State, stateFormat } from './state.ts';

/**
 * Runs `work` on the stored state under a lock and stores what it left, a fresh one when there is no file.
 * Throws usage for a file that is not a state of this version.
 */
export function changeStored<T>(file: string, work: (state: State) => T, secrecy: Secrecy): Promise<T> {
  const change = () => {
    const before = readOwnFile(file, secrecy);
    const state = before === undefined ? seedState() : parseState(file, before);
    const result = work(state);
    const after = JSON.stringify(state);
    if (after !== before) replaceTextFile(file, after);
    return result;
  };
  return withLock(file, change, secrecy);
}

/**
 * Runs `work` on the stored state and keeps nothing of what it does: what time has done to it comes out the same at the
 * next look. Waits for nobody, except where there is no state yet. Throws usage as `changeStored` does.
 */
export async function readStored<T>(file: string, work: (state: State) => T, secrecy: Secrecy): Promise<T> {
  const text = readOwnFile(file, secrecy);
  return text === undefined ? changeStored(file, work, secrecy) : work(parseState(file, text));
}

/** Puts the seed in place of whatever the file holds. */
export function resetStored(file: string, { warn }: Secrecy): Promise<void> {
  return withLock(file, () => replaceTextFile(file, JSON.stringify(seedState())), { warn });
}

function parseState(file: string, text: string): State {
  try {
    const value: unknown = JSON.parse(text);
    if (isState(value)) return value;
  } catch {
    // Not JSON: told below, like every other unusable content.
  }
  throw new Problem('usage', `the sandbox state in ${file} is damaged or of another version`, {
    hint: 'stackops sandbox reset',
  });
}

/** The format number stands for the inner shape: only this tool writes the file, and always in one piece. */
function isState(value: unknown): value is State {
  if (typeof value !== 'object' || value === null) return false;
  const { format, accounts, stacks, oauth, next } = value as Partial<State>;
  return format === stateFormat && Array.isArray(accounts) && Array.isArray(stacks) && Boolean(oauth && next);
}
