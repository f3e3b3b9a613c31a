import type { Context } from '../contract/command.ts';
import type { ResolveTarget, TargetKind } from '../contract/field.ts';
import { CliError } from '../errors/cli-error.ts';
import { type FoundStack, findStack, type ListStacks, matchStacks, stackList } from './stack.ts';
import { type KeptStacks, whileVerifying } from './while-verifying.ts';

interface ChosenStack {
  readonly uid: string;
  readonly name: string;
}

/** Where commands act (cli.md section 2). Nothing is asked of the service unless a name or an only child is to be found. */
export function createTargets({
  call,
  setting,
  chosen,
  kept,
}: {
  readonly call: Context['call'];
  /** What flag, environment or profile say, in that order. */
  readonly setting: (place: TargetKind) => string | undefined;
  /** The stack that the profile holds with the name by which it was chosen. The UID counts. */
  readonly chosen: () => ChosenStack | undefined;
  readonly kept: KeptStacks;
}) {
  const listStacks = stackList(call);
  let stack: FoundStack | undefined;
  let unverified: ChosenStack | undefined;
  const given = new Map<string, string>();
  const titles = new Map<string, string>();

  const resolve: ResolveTarget = async (field, word, placed) => {
    const name = word ?? (field.target && setting(field.target));
    if (field.target === 'account') return findAccount(call, name);
    if (field.target === 'server-group')
      return (await import('./server-group.ts')).findServerGroup(call, name, String(placed['stack_id']));
    const byName = word === undefined ? chosen() : undefined;
    return byName ? note(...(await stillNamed(listStacks, byName))) : (await find(name)).uid;
  };

  /** A read changes nothing, and sends no request for the name alone. */
  const resolveWhileVerifying: ResolveTarget = async (field, word, placed) => {
    const byName = field.target === 'stack' && word === undefined ? chosen() : undefined;
    if (!byName) return verifying.place(field, word, placed);
    unverified = byName;
    return note({ uid: byName.uid, by: 'uid', title: byName.name }, byName.name);
  };

  const find = async (name: string | undefined): Promise<FoundStack> => {
    const found = await findStack(listStacks, name);
    note(found, name);
    return found;
  };

  function note(found: FoundStack, name?: string): string {
    stack = found;
    const { uid, title } = found;
    if (title !== undefined) titles.set(uid, title);
    if (name !== undefined && !given.has(uid)) given.set(uid, name);
    return uid;
  }

  const verifying = whileVerifying({ find, note, resolve, setting, kept });
  return {
    resolve,
    resolveWhileVerifying,
    verified: verifying.verified,
    listStacks,
    /** Names or UIDs of the stacks that match a pattern; throws not_found. */
    match: (pattern: string) => matchStacks(listStacks, pattern),
    /** Explains a 404 that follows a stack which the service has not been asked for. */
    explain: (error: CliError) => aboutGuess(error, stack),
    /** Before a line to paste is printed: gives up a stored name that is not known to be still that of its stack. */
    verifyChosen: async (answers: boolean) => {
      if (!unverified) return;
      const [, name] = answers ? await stillNamed(listStacks, unverified) : [];
      if (name === undefined) given.delete(unverified.uid);
    },
    /** `name/environment` of a stack that was found in the list of stacks. */
    stackTitle: (uid: string) => titles.get(uid),
    /** What was given for a stack that was found, else its UID. */
    stackName: (uid: string) => given.get(uid) ?? uid,
  };
}

function aboutGuess(error: CliError, stack: FoundStack | undefined): CliError {
  if (error.kind !== 'not_found' || stack?.by !== 'guess') return error;
  const message = `${error.message} ("${stack.uid}" was used as a UID: no stack has that name)`;
  return new CliError('not_found', message, { ...error.details, hint: { path: 'stack list' } });
}

async function stillNamed(list: ListStacks, { uid, name }: ChosenStack): Promise<[FoundStack, string?]> {
  const found = await findStack(list, name).catch(() => undefined);
  return found?.uid === uid ? [found, name] : [{ uid, by: 'uid' }];
}

async function findAccount(call: Context['call'], given: string | undefined): Promise<number | string> {
  if (given !== undefined) {
    if (/^[1-9][0-9]{0,18}$/.test(given)) return given;
    throw new CliError('usage', `--account must be a whole number, not "${given}"`);
  }
  const { accounts } = await import('../resources/account.ts');
  const known = await call(accounts.list, {});
  const current = known.find((account) => account.current_account) ?? (known.length === 1 ? known[0] : undefined);
  if (current) return current.id;
  throw new CliError('usage', 'no account given, and none is marked as current', { hint: { path: 'account list' } });
}
