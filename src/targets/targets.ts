import type { Context } from '../contract/command.ts';
import type { ResolveTarget, TargetKind } from '../contract/field.ts';
import { CliError } from '../errors/cli-error.ts';
import {
  type FoundStack,
  findStack,
  type ListStacks,
  matchStacks,
  type StackCache,
  stackList,
  whileVerifying,
} from './stack.ts';

interface NamedStack {
  readonly uid: string;
  readonly name: string;
}

/** Resolves stack, server group and account. Sends a request only to find a name or an only child. */
export function createTargets({
  call,
  setting,
  defaultStack,
  cache,
}: {
  readonly call: Context['call'];
  /** The value from flag, environment or profile, in that order. */
  readonly setting: (target: TargetKind) => string | undefined;
  /** The default stack of the profile with its name. The UID counts. */
  readonly defaultStack: () => NamedStack | undefined;
  readonly cache: StackCache;
}) {
  const listStacks = stackList(call);
  let stack: FoundStack | undefined;
  let unverified: NamedStack | undefined;
  const inputs = new Map<string, string>();
  const titles = new Map<string, string>();

  const resolve: ResolveTarget = async (field, word, resolved) => {
    const name = word ?? (field.target && setting(field.target));
    if (field.target === 'account') return findAccount(call, name);
    if (field.target === 'server-group')
      return (await import('./server-group.ts')).findServerGroup(call, name, String(resolved['stack_id']));
    const byName = word === undefined ? defaultStack() : undefined;
    return byName ? note(...(await stillNamed(listStacks, byName))) : (await find(name)).uid;
  };

  /** A read sends no request only to check the name of the default stack. */
  const resolveWhileVerifying: ResolveTarget = async (field, word, resolved) => {
    const byName = field.target === 'stack' && word === undefined ? defaultStack() : undefined;
    if (!byName) return verifying.resolve(field, word, resolved);
    unverified = byName;
    return note({ uid: byName.uid, by: 'uid', title: byName.name }, byName.name);
  };

  const find = async (name: string | undefined): Promise<FoundStack> => {
    const found = await findStack(listStacks, name, setting('account'));
    note(found, name);
    return found;
  };

  function note(found: FoundStack, name?: string): string {
    stack = found;
    const { uid, title } = found;
    if (title !== undefined) titles.set(uid, title);
    if (name !== undefined && !inputs.has(uid)) inputs.set(uid, name);
    return uid;
  }

  const verifying = whileVerifying({ find, note, resolve, setting, cache });
  return {
    resolve,
    resolveWhileVerifying,
    verified: verifying.verified,
    listStacks,
    match: (pattern: string) => matchStacks(listStacks, pattern, setting('account')),
    /** Explains a 404 for a stack whose UID was guessed. */
    explain: (error: CliError) => aboutGuess(error, stack),
    /** For a printed command: drops the name of the default stack unless the stack still has it. */
    verifyDefaultStack: async (answers: boolean) => {
      if (!unverified) return;
      const [, name] = answers ? await stillNamed(listStacks, unverified) : [];
      if (name === undefined) inputs.delete(unverified.uid);
    },
    /** `name/environment`, known after a lookup in the list of stacks. */
    stackTitle: (uid: string) => titles.get(uid),
    /** The input for a resolved stack, else its UID. */
    stackName: (uid: string) => inputs.get(uid) ?? uid,
  };
}

function aboutGuess(error: CliError, stack: FoundStack | undefined): CliError {
  if (error.kind !== 'not_found' || stack?.by !== 'guess') return error;
  const message = `${error.message} ("${stack.uid}" was used as a UID: no stack has that name)`;
  return new CliError('not_found', message, { ...error.details, hint: { path: 'stack list' } });
}

async function stillNamed(list: ListStacks, { uid, name }: NamedStack): Promise<[FoundStack, string?]> {
  const found = await findStack(list, name).catch(() => undefined);
  return found?.uid === uid ? [found, name] : [{ uid, by: 'uid' }];
}

async function findAccount(call: Context['call'], id: string | undefined): Promise<number | string> {
  if (id !== undefined) {
    if (/^[1-9][0-9]{0,18}$/.test(id)) return id;
    throw new CliError('usage', `--account must be a whole number, not "${id}"`);
  }
  const { accounts } = await import('../resources/account.ts');
  const known = await call(accounts.list, {});
  const current = known.find((account) => account.current_account) ?? (known.length === 1 ? known[0] : undefined);
  if (current) return current.id;
  throw new CliError('usage', 'no account given, and none is marked as current', { hint: { path: 'account list' } });
}
