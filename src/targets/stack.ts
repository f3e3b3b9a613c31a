import { findAmong, matchAmong } from '../builders/resource/find.ts';
import type { Context } from '../contract/command.ts';
import { type Calls, isWriteOperation } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';
import { type StackRow, stack, stacks, titleOf } from '../resources/stack.ts';

export interface FoundStack {
  readonly uid: string;
  /** `list`: found in the list of stacks. `uid`: the input is a UID. `guess`: no name matches, so it may be a UID. */
  readonly by: 'list' | 'uid' | 'guess';
  /** `name/environment`; undefined unless the stack was found in the list. */
  readonly title?: string;
}

/** A function that returns all stacks; undefined if the service has no list or the token may not read the list. */
export type ListStacks = () => Promise<readonly StackRow[] | undefined>;

/** Returns a function that reads the list of stacks at its first call and returns the same list later. */
export function listStacksOnce(call: Context['call']): ListStacks {
  return once(() => readOrUndefined(call(stacks.list, {})));
}

/** Finds a stack by UID without a request, else by name or `name/environment`. Errors name the `account`. */
export async function findStack(listStacks: ListStacks, name?: string, account?: string): Promise<FoundStack> {
  if (!name) throw await noStackError(listStacks);
  if (isUid(name)) return { uid: name, by: 'uid' };
  const rows = await listStacks();
  try {
    if (!rows) throw noListError(name, account);
    const foundRow = findAmong(stack, rows, name, {});
    return { uid: foundRow.uid, by: 'list', title: titleOf(foundRow) };
  } catch (error) {
    const isGuess = error instanceof CliError && error.kind === 'not_found' && /^[0-9a-f]{4,64}$/i.test(name);
    if (isGuess) return { uid: name, by: 'guess' };
    throw error;
  }
}

/** Returns the stacks that match a pattern, each by a unique text: its name, else `name/environment`, else its UID. */
export async function matchStacks(listStacks: ListStacks, pattern: string, account?: string): Promise<string[]> {
  const rows = await listStacks();
  if (!rows) throw noListError(pattern, account);
  const nameOf = pattern.includes('/') ? titleOf : ({ name }: StackRow) => name;
  return matchAmong(stack, rows, { pattern, input: {}, nameOf }).map((row) => uniqueNameOf(row, rows));
}

function uniqueNameOf(row: StackRow, rows: readonly StackRow[]): string {
  const namesOf = (one: StackRow) => [one.name, titleOf(one)];
  const isUnique = (name: string) => !isUid(name) && rows.filter((one) => namesOf(one).includes(name)).length === 1;
  return namesOf(row).find(isUnique) ?? row.uid;
}

export function isUid(input: string): boolean {
  return stack.idPattern?.test(input) ?? false;
}

const maxListedNames = 8;

async function noStackError(listStacks: ListStacks): Promise<CliError> {
  const rows = (await listStacks().catch(() => undefined)) ?? [];
  const names = rows.slice(0, maxListedNames).map((row) => uniqueNameOf(row, rows));
  const [first] = names;
  const listCommand = { path: 'stack list' };
  if (first === undefined) {
    const message = 'which stack? use -s NAME, set STACKOPS_STACK, or choose a default with "stackops stack use NAME"';
    return new CliError('usage', message, { hint: listCommand });
  }
  const othersText = rows.length > maxListedNames ? ` and ${rows.length - maxListedNames} others` : '';
  const message = `which stack? ${names.join(', ')}${othersText}`;
  return new CliError('usage', message, { hint: listCommand, correction: { add: ['-s', first] } });
}

/** Returns why a stack cannot be found by name: `this service or token does not list stacks of account 42`. */
export function noListText(account: string | undefined): string {
  return `this service or token does not list stacks${account === undefined ? '' : ` of account ${account}`}`;
}

function noListError(input: string, account?: string): CliError {
  return new CliError('not_found', `stack "${input}" not found: ${noListText(account)}`, {
    hint: 'give the UID of the stack instead of its name',
  });
}

/** A store of the stacks that earlier runs found by name. */
export interface StackCache {
  find(name: string): Promise<FoundStack | undefined>;
  /** Stores the stack of this name; undefined removes it. */
  store(name: string, stack: FoundStack | undefined): Promise<void>;
}

/** Thrown if the name of a stored stack now belongs to another stack, so that the wrong stack has been read. */
export class StaleStackError extends Error {}

/** Runs `work`, and once more if it throws `StaleStackError`. */
export async function retryIfStale<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaleStackError)) throw error;
    return work();
  }
}

/** Returns calls whose replies and writes wait until the name of the stack is verified. */
export function verifiedCalls({ call, eachPage }: Calls, whenVerified: () => Promise<void>): Calls {
  const onceVerified = async <Value>(reply: Promise<Value>): Promise<Value> => {
    reply.catch(() => undefined);
    await whenVerified();
    return reply;
  };
  return {
    async call(operation, input, more) {
      if (isWriteOperation(operation)) await whenVerified();
      return onceVerified(call(operation, input, more));
    },
    eachPage: (operation, input, take, more) =>
      onceVerified(eachPage(operation, input, (rows) => whenVerified().then(() => take(rows)), more)),
  };
}
