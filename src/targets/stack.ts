import { findAmong, matchAmong } from '../builders/resource/find.ts';
import type { Context } from '../contract/command.ts';
import { type Calls, writes } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';
import { type StackRow, stack, stacks, titleOf } from '../resources/stack.ts';

export interface FoundStack {
  readonly uid: string;
  /**
   * `list`: found in the list of stacks; `uid`: the input is a UID; `guess`: taken for a UID, because no name matches.
   */
  readonly by: 'list' | 'uid' | 'guess';
  /** `name/environment`; set when found in the list. */
  readonly title?: string;
}

/** All stacks; undefined when the service does not offer the list or the token may not read it. */
export type ListStacks = () => Promise<readonly StackRow[] | undefined>;

/** Reads the list of stacks at most once. */
export function listStacksOnce(call: Context['call']): ListStacks {
  return once(() => readOrUndefined(call(stacks.list, {})));
}

/** Finds a stack by UID without a lookup, else by name or `name/environment`. `account` is that of all requests. */
export async function findStack(list: ListStacks, input: string | undefined, account?: string): Promise<FoundStack> {
  if (input === undefined || input === '') throw await noStack(list);
  if (isUid(input)) return { uid: input, by: 'uid' };
  const known = await list();
  try {
    if (!known) throw cannotLookUp(input, account);
    const found = findAmong(stack, known, input, {});
    return { uid: found.uid, by: 'list', title: titleOf(found) };
  } catch (error) {
    const isGuess = error instanceof CliError && error.kind === 'not_found' && /^[0-9a-f]{4,64}$/i.test(input);
    if (isGuess) return { uid: input, by: 'guess' };
    throw error;
  }
}

/**
 * Names of the stacks that match a pattern, in list order: the name, with its environment where the name is not unique,
 * else the UID. A pattern with a slash matches `name/environment`.
 */
export async function matchStacks(list: ListStacks, pattern: string, account?: string): Promise<readonly string[]> {
  const known = await list();
  if (!known) throw cannotLookUp(pattern, account);
  const nameOf = pattern.includes('/') ? titleOf : ({ name }: StackRow) => name;
  return matchAmong(stack, known, { pattern, input: {}, nameOf }).map((row) => exactName(row, known));
}

function exactName(row: StackRow, known: readonly StackRow[]): string {
  const means = (other: StackRow, word: string) => other.name === word || titleOf(other) === word;
  const isExact = (word: string) => !isUid(word) && known.filter((other) => means(other, word)).length === 1;
  return [row.name, titleOf(row)].find(isExact) ?? row.uid;
}

export function isUid(input: string): boolean {
  return stack.direct?.test(input) ?? false;
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

/** Why stacks are unknown. `account` is the one that was chosen for all requests. */
export function noList(account: string | undefined): string {
  return `this service or token does not list stacks${account === undefined ? '' : ` of account ${account}`}`;
}

function cannotLookUp(input: string, account?: string): CliError {
  return new CliError('not_found', `stack "${input}" not found: ${noList(account)}`, {
    hint: 'give the UID of the stack instead of its name',
  });
}

/** Stacks of earlier runs by name. */
export interface StackCache {
  find(name: string): Promise<FoundStack | undefined>;
  /** Stores the stack of this name; undefined removes it. */
  store(name: string, stack: FoundStack | undefined): Promise<void>;
}

/** A stored name now belongs to another stack than the one read. */
export class StaleStackError extends Error {}

/** Runs `work`, and again if it ran for a stale stack. */
export async function retryIfStale<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaleStackError)) throw error;
    return work();
  }
}

/** Holds back replies and writes until the stack's name is verified. */
export function verifiedCalls({ call, eachPage }: Calls, verified: () => Promise<void>): Calls {
  const afterwards = async <Value>(reading: Promise<Value>): Promise<Value> => {
    reading.catch(() => undefined);
    await verified();
    return reading;
  };
  return {
    async call(operation, input, more) {
      if (writes(operation)) await verified();
      return afterwards(call(operation, input, more));
    },
    eachPage: (operation, input, take, more) => {
      const takeVerified: typeof take = async (rows) => {
        await verified();
        return take(rows);
      };
      return afterwards(eachPage(operation, input, takeVerified, more));
    },
  };
}
