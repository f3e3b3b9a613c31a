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

type NamedStack = { readonly uid: string; readonly name: string };

interface TargetParts {
  readonly call: Context['call'];
  /** Returns the value of a target from flag, environment or profile, in that order. */
  readonly setting: (target: TargetKind) => string | undefined;
  /** Returns the default stack if the profile has both its UID and its name. If the name changes, the UID counts. */
  readonly defaultStack: () => NamedStack | undefined;
  readonly cache: StackCache;
}

/** Resolves stack, server group and account. Sends a request only for a name, or to find the only choice. */
export class TargetResolver {
  readonly #parts: TargetParts;
  readonly #inputByUid = new Map<string, string>();
  readonly #titleByUid = new Map<string, string>();
  #lastStack: FoundStack | undefined;
  #unverifiedStack: NamedStack | undefined;
  #verification: Promise<void> | undefined;
  readonly listStacks: ListStacks;

  constructor(parts: TargetParts) {
    this.#parts = parts;
    this.listStacks = listStacksOnce(parts.call);
  }

  readonly resolveTarget: ResolveTarget = async (field, word, parents) => {
    const { call, defaultStack } = this.#parts;
    const name = this.#nameOf(field, word);
    if (field.target === 'account') return findAccountId(call, name);
    if (field.target === 'server-group')
      return (await import('./server-group.ts')).findServerGroupId(call, String(parents['stack_id']), name);
    const preset = word === undefined ? defaultStack() : undefined;
    return preset ? this.#remember(...(await findDefaultStack(this.listStacks, preset))) : (await this.#find(name)).uid;
  };

  /** Resolves a target for a read. Returns a stored UID of a stack at once, and looks up the stack's name meanwhile. */
  readonly resolveWhileVerifying: ResolveTarget = async (field, word, parents) => {
    const { defaultStack, cache } = this.#parts;
    const preset = field.target === 'stack' && word === undefined ? defaultStack() : undefined;
    if (preset) {
      // To check the name of the default stack would take a request, so a read uses the stored UID without a check.
      this.#unverifiedStack = preset;
      return this.#remember({ uid: preset.uid, by: 'uid', title: preset.name }, preset.name);
    }
    const name = this.#nameOf(field, word);
    if (field.target !== 'stack' || !name || isUid(name)) {
      // A target without a name is looked up inside the stack, so the stack must be verified first.
      if (!name) await this.#verification;
      return this.resolveTarget(field, word, parents);
    }
    const cachedStack = this.#verification === undefined ? await cache.find(name) : undefined;
    if (!cachedStack) {
      const foundStack = await this.#find(name);
      if (foundStack.by === 'list') await cache.store(name, foundStack);
      this.#verification = Promise.resolve();
      return foundStack.uid;
    }
    this.#verification = this.#verify(name, cachedStack.uid);
    this.#verification.catch(() => undefined);
    return this.#remember(cachedStack, name);
  };

  /** Waits for the lookup of `resolveWhileVerifying`. Throws its error, or `StaleStackError` for an outdated UID. */
  readonly waitForVerification = async (): Promise<void> => this.#verification;

  readonly matchStacks = (pattern: string) => matchStacks(this.listStacks, pattern, this.#parts.setting('account'));

  /** Returns the error; for `not_found`, with an explanation if the UID of the stack was guessed. */
  readonly explain = (error: CliError): CliError => {
    if (error.kind !== 'not_found' || this.#lastStack?.by !== 'guess') return error;
    const message = `${error.message} ("${this.#lastStack.uid}" was used as a UID: no stack has that name)`;
    return error.with({ hint: { path: 'stack list' } }, message);
  };

  /** Forgets the name of the default stack unless the stack still has the name, so that no printed command uses it. */
  readonly verifyDefaultStack = async (isServiceReachable: boolean): Promise<void> => {
    if (!this.#unverifiedStack) return;
    const [, name] = isServiceReachable ? await findDefaultStack(this.listStacks, this.#unverifiedStack) : [];
    if (name === undefined) this.#inputByUid.delete(this.#unverifiedStack.uid);
  };

  /** Returns `name/environment`; undefined unless the stack was looked up in the list of stacks. */
  readonly stackTitle = (uid: string) => this.#titleByUid.get(uid);

  /** Returns the name or UID that the user gave for a stack, or else its UID. */
  readonly stackName = (uid: string) => this.#inputByUid.get(uid) ?? uid;

  #nameOf({ target }: Field, word: string | undefined): string | undefined {
    return word ?? (target && this.#parts.setting(target));
  }

  async #find(name: string | undefined): Promise<FoundStack> {
    const foundStack = await findStack(this.listStacks, name, this.#parts.setting('account'));
    this.#remember(foundStack, name);
    return foundStack;
  }

  #remember(found: FoundStack, name?: string): string {
    this.#lastStack = found;
    const { uid, title } = found;
    if (title !== undefined) this.#titleByUid.set(uid, title);
    if (name !== undefined && !this.#inputByUid.has(uid)) this.#inputByUid.set(uid, name);
    return uid;
  }

  async #verify(name: string, uid: string): Promise<void> {
    const { cache } = this.#parts;
    const currentStack = await this.#find(name).catch(async (error: unknown) => {
      await cache.store(name, undefined);
      throw error;
    });
    if (currentStack.uid === uid) return;
    await cache.store(name, currentStack);
    throw new StaleStackError();
  }
}

async function findDefaultStack(listStacks: ListStacks, { uid, name }: NamedStack): Promise<[FoundStack, string?]> {
  const foundStack = await findStack(listStacks, name).catch(() => undefined);
  return foundStack?.uid === uid ? [foundStack, name] : [{ uid, by: 'uid' }];
}

async function findAccountId(call: Context['call'], id: string | undefined): Promise<number | string> {
  if (id !== undefined) {
    if (/^[1-9][0-9]{0,18}$/.test(id)) return id;
    throw new CliError('usage', `--account must be a whole number, not "${id}"`);
  }
  const { accounts } = await import('../resources/account.ts');
  const rows = await call(accounts.list, {});
  const currentAccount = rows.find((account) => account.current_account) ?? (rows.length === 1 ? rows[0] : undefined);
  if (currentAccount) return currentAccount.id;
  throw new CliError('usage', 'no account given, and none is marked as current', { hint: { path: 'account list' } });
}
