import { CliError } from '../errors/cli-error.ts';
import { type PrivacyOptions, readOwnFile } from '../files/own-file.ts';
import { removeLeftoverFiles, replaceFile } from '../files/replace-file.ts';
import { titleOf } from '../resources/stack.ts';
import { clampFutureTimes } from './advance.ts';
import { isoStamp } from './seed/made-up.ts';
import { type CopyOrigin, type ScenarioName, type State, stateFormat } from './state.ts';

export interface StateLocation extends PrivacyOptions {
  /** Absolute path of the file, which is created if it is missing. */
  readonly file: string;
  readonly now: () => Date;
}

/** Runs `work` under a lock and saves. No file: a new state. Throws `usage` if the file is no state of this version. */
export async function changeStoredState<T>(location: StateLocation, work: (state: State) => T): Promise<T> {
  const { file, now } = location;
  // These modules are imported on demand, because most reads need neither the lock nor the seed.
  const [{ withLock }, { seedState }] = await Promise.all([import('../files/lock.ts'), import('./seed/seed.ts')]);
  const change = () => {
    const textBefore = readOwnFile(file, location);
    const state = textBefore === undefined ? seedState(now()) : parseState(file, textBefore);
    const result = work(state);
    const textAfter = JSON.stringify(state);
    if (textAfter !== textBefore) replaceState(file, textAfter);
    return result;
  };
  return withLock(file, change, location);
}

/** Rarely saves: a later read repeats the effects of time. Creates a missing file. Throws like `changeStoredState`. */
export async function readStoredState<T>(location: StateLocation, read: (state: State) => T): Promise<T> {
  const { file, now } = location;
  const text = readOwnFile(file, location);
  if (text === undefined) return changeStoredState(location, read);
  const state = parseState(file, text);
  // Moved times are saved. Otherwise each read would move them again, and no action or deployment would ever end.
  return clampFutureTimes(state, now()) ? changeStoredState(location, read) : read(state);
}

/** Replaces the stored state by a new state. If `scenario` is set, the scenario has begun in that state. */
export async function resetStoredState(location: StateLocation, scenario?: ScenarioName): Promise<void> {
  const { seedState } = await import('./seed/seed.ts');
  await replaceStored(location, seedState(location.now(), scenario));
}

/** Calls `mayReplace` under the lock and returns its result. If true, replaces the stored state by `newState`. */
export async function replaceStored(location: StateLocation, newState: State, mayReplace = () => true) {
  const { withLock } = await import('../files/lock.ts');
  const replaceIfAllowed = () => {
    const isAllowed = mayReplace();
    if (isAllowed) replaceState(location.file, JSON.stringify(newState));
    return isAllowed;
  };
  return withLock(location.file, replaceIfAllowed, location);
}

/** Returns the state as it was saved; undefined if there is no file. Throws `usage` like `changeStoredState`. */
export function peekStoredState(location: Omit<StateLocation, 'now'>): State | undefined {
  const text = readOwnFile(location.file, location);
  return text === undefined ? undefined : parseState(location.file, text);
}

function replaceState(file: string, text: string): void {
  removeLeftoverFiles(file);
  replaceFile(file, text, { force: true });
}

/** Returns the line that a command with `--sandbox` prints if the stored state is a copy. Never throws. */
export function storedCopyNotice(file: string, now: Date): string | undefined {
  try {
    const text = readOwnFile(file, { warn: () => {}, keepsRights: true });
    // Most states are no copy. They are recognized by their text, because parsing them would take longer.
    return text?.includes('"copy":{') ? copyNotice(parseState(file, text), now) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns `sandbox: copy of shop/production, 14:02 UTC; without settings (503)`; undefined if it is no copy. */
export function copyNotice({ stacks, copy }: Pick<State, 'stacks' | 'copy'>, now: Date): string | undefined {
  if (!copy) return undefined;
  const titles = stacks.map(({ row }) => titleOf(row)).join(' and ');
  const { at, without } = copy;
  const dayText = at.slice(0, 10) === isoStamp(now).slice(0, 10) ? '' : `${at.slice(0, 10)} `;
  const withoutText = without.length === 0 ? '' : `; without ${missingSectionsText(without)}`;
  return `sandbox: copy of ${titles}, ${dayText}${at.slice(11, 16)} UTC${withoutText}`;
}

/** Returns what the copy lacks and why: `settings (no admin scope), server settings (503)`. */
export function missingSectionsText(missingSections: CopyOrigin['without']): string {
  return [...new Set(missingSections.map(({ label, why }) => `${label} (${why})`))].join(', ');
}

function parseState(file: string, text: string): State {
  try {
    const value = JSON.parse(text) as State | null;
    // Only this tool writes the file, and always as a whole, so fields other than `format` are not checked.
    if (value?.format === stateFormat) return value;
  } catch {
    // Text that is not JSON is reported below, like other invalid content.
  }
  throw new CliError('usage', `the sandbox state in ${file} is damaged or from another version`, {
    hint: { path: 'sandbox reset' },
  });
}
