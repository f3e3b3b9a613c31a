import { findAmong, matchAmong } from '../builders/resource/find.ts';
import type { Context } from '../contract/command.ts';
import { CliError } from '../errors/cli-error.ts';
import { readOrUndefined } from '../errors/unreadable.ts';
import { type StackRow, stack, stacks, titleOf } from '../resources/stack.ts';

export interface FoundStack {
  readonly uid: string;
  /** Found in the list of stacks, typed as a whole UID, or taken as one although no stack has that name. */
  readonly by: 'list' | 'uid' | 'guess';
  /** `name/environment`, where it was found in the list. */
  readonly title?: string;
}

/** All stacks; undefined where the service does not offer the collection, or the token may not read it. */
export type ListStacks = () => Promise<readonly StackRow[] | undefined>;

/** The stacks of the service, read once however many are looked up. */
export function stackList(call: Context['call']): ListStacks {
  let listed: ReturnType<ListStacks> | undefined;
  return () => {
    listed ??= readOrUndefined(call(stacks.list, {}));
    return listed;
  };
}

/** A 32-digit hex UID is used as it is; anything else is an exact name or `name/environment`. */
export async function findStack(list: ListStacks, given: string | undefined): Promise<FoundStack> {
  if (given === undefined || given === '') throw await noStack(list);
  if (isUid(given)) return { uid: given, by: 'uid' };
  const known = await list();
  try {
    if (!known) throw cannotLookUp(given);
    const found = findAmong(stack, known, given, {});
    return { uid: found.uid, by: 'list', title: titleOf(found) };
  } catch (error) {
    const isGuess = error instanceof CliError && error.kind === 'not_found' && /^[0-9a-f]{4,64}$/i.test(given);
    if (isGuess) return { uid: given, by: 'guess' };
    throw error;
  }
}

/**
 * What to call the stacks that match a pattern, in the order of the list: the name, with its environment where the name is
 * not unique, else the UID. A pattern with a slash is matched with `name/environment`.
 */
export async function matchStacks(list: ListStacks, pattern: string): Promise<readonly string[]> {
  const known = await list();
  if (!known) throw cannotLookUp(pattern);
  const nameOf = pattern.includes('/') ? titleOf : ({ name }: StackRow) => name;
  return matchAmong(stack, known, { pattern, input: {}, nameOf }).map((row) => exactName(row, known));
}

function exactName(row: StackRow, known: readonly StackRow[]): string {
  const means = (other: StackRow, word: string) => other.name === word || titleOf(other) === word;
  const isExact = (word: string) => !isUid(word) && known.filter((other) => means(other, word)).length === 1;
  return [row.name, titleOf(row)].find(isExact) ?? row.uid;
}

export function isUid(given: string): boolean {
  return stack.direct?.test(given) ?? false;
}

const mostNames = 8;

async function noStack(list: ListStacks): Promise<CliError> {
  const known = (await list().catch(() => undefined)) ?? [];
  const names = known.map((row) => exactName(row, known));
  const [first] = names;
  const listing = { path: 'stack list' };
  if (first === undefined) {
    const message = 'which stack? use -s NAME, set STACKOPS_STACK, or choose a default with "stackops stack use NAME"';
    return new CliError('usage', message, { hint: listing });
  }
  const others = names.length > mostNames ? ` and ${names.length - mostNames} others` : '';
  const message = `which stack? ${names.slice(0, mostNames).join(', ')}${others}`;
  return new CliError('usage', message, { hint: listing, correction: { add: ['-s', first] } });
}

function cannotLookUp(given: string): CliError {
  const message = `stack "${given}" not found: this service or token does not list stacks`;
  return new CliError('not_found', message, { hint: 'give the UID of the stack instead of its name' });
}
