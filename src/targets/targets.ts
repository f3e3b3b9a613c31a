import type { Context } from '../contract/command.ts';
import type { Field, ResolveTarget, TargetKind } from '../contract/field.ts';
import { CliError } from '../errors/cli-error.ts';
import {
  type FoundStack,
  findStack,
  isUid,
  type ListStacks,
  listStacksOnce,
  matchStacks,
  type StackCache,
  StaleStackError,
} from './stack.ts';

interface NamedStack {
  readonly uid: string;
  readonly name: string;
}

interface TargetParts {
  readonly call: Context['call'];
  /** The value from flag, environment or profile, in that order. */
  readonly setting: (target: TargetKind) => string | undefined;
  /** The default stack of the profile with its name. The UID counts. */
  readonly defaultStack: () => NamedStack | undefined;
  readonly cache: StackCache;
}

/** Resolves stack, server group and account. Sends a request only to find a name or an only child. */
export class Targets {
  readonly #parts: TargetParts;
  readonly #inputs = new Map<string, string>();
  readonly #titles = new Map<string, string>();
  #stack: FoundStack | undefined;
  #unverified: NamedStack | undefined;
  #verification: Promise<void> | undefined;
  readonly listStacks: ListStacks;

  constructor(parts: TargetParts) {
    this.#parts = parts;
    this.listStacks = listStacksOnce(parts.call);
  }

  readonly resolve: ResolveTarget = async (field, word, resolved) => {
    const { call, defaultStack } = this.#parts;
    const name = this.#nameOf(field, word);
    if (field.target === 'account') return findAccount(call, name);
    if (field.target === 'server-group')
      return (await import('./server-group.ts')).findServerGroup(call, name, String(resolved['stack_id']));
    const byName = word === undefined ? defaultStack() : undefined;
    return byName ? this.#note(...(await stillNamed(this.listStacks, byName))) : (await this.#find(name)).uid;
  };

  /** For a read: uses a known UID at once, and looks up a name in parallel. */
  readonly resolveWhileVerifying: ResolveTarget = async (field, word, resolved) => {
    const { defaultStack, cache } = this.#parts;
    const byName = field.target === 'stack' && word === undefined ? defaultStack() : undefined;
    if (byName) {
      // A read sends no request only to check the name of the default stack.
      this.#unverified = byName;
      return this.#note({ uid: byName.uid, by: 'uid', title: byName.name }, byName.name);
    }
    const name = this.#nameOf(field, word);
    if (field.target !== 'stack' || !name || isUid(name)) {
      // Any other target is inside the stack.
      if (!name) await this.#verification;
      return this.resolve(field, word, resolved);
    }
    const before = this.#verification === undefined ? await cache.find(name) : undefined;
    if (!before) {
      const found = await this.#find(name);
      if (found.by === 'list') await cache.store(name, found);
      this.#verification = Promise.resolve();
      return found.uid;
    }
    this.#verification = this.#verify(name, before.uid);
    this.#verification.catch(() => undefined);
    return this.#note(before, name);
  };

  /** Throws the error of the lookup, and StaleStackError when the name belongs to another stack now. */
  readonly verified = async (): Promise<void> => this.#verification;

  readonly match = (pattern: string) => matchStacks(this.listStacks, pattern, this.#parts.setting('account'));

  /** Explains a 404 for a stack whose UID was guessed. */
  readonly explain = (error: CliError) => aboutGuess(error, this.#stack);

  /** For a printed command: drops the name of the default stack unless the stack still has it. */
  readonly verifyDefaultStack = async (answers: boolean): Promise<void> => {
    if (!this.#unverified) return;
    const [, name] = answers ? await stillNamed(this.listStacks, this.#unverified) : [];
    if (name === undefined) this.#inputs.delete(this.#unverified.uid);
  };

  /** `name/environment`, known after a lookup in the list of stacks. */
  readonly stackTitle = (uid: string) => this.#titles.get(uid);

  /** The input for a resolved stack, else its UID. */
  readonly stackName = (uid: string) => this.#inputs.get(uid) ?? uid;

  #nameOf({ target }: Field, word: string | undefined): string | undefined {
    return word ?? (target && this.#parts.setting(target));
  }

  async #find(name: string | undefined): Promise<FoundStack> {
    const found = await findStack(this.listStacks, name, this.#parts.setting('account'));
    this.#note(found, name);
    return found;
  }

  #note(found: FoundStack, name?: string): string {
    this.#stack = found;
    const { uid, title } = found;
    if (title !== undefined) this.#titles.set(uid, title);
    if (name !== undefined && !this.#inputs.has(uid)) this.#inputs.set(uid, name);
    return uid;
  }

  async #verify(name: string, uid: string): Promise<void> {
    const { cache } = this.#parts;
    const now = await this.#find(name).catch(async (error: unknown) => {
      await cache.store(name, undefined);
      throw error;
    });
    if (now.uid === uid) return;
    await cache.store(name, now);
    throw new StaleStackError();
  }
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
