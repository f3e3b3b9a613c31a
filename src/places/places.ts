import type { Context } from '../contract/command.ts';
import type { Place, ResolvePlace } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';
import { findAccount } from './account.ts';
import { type PlacesBeside, placesBeside } from './beside.ts';
import type { KeptStacks } from './kept-stacks.ts';
import { findServerGroup } from './server-group.ts';
import { type FoundStack, findStack, type ListStacks, matchStacks, stackList } from './stack.ts';

interface ChosenStack {
  readonly uid: string;
  readonly name: string;
}

export interface PlaceSources {
  readonly call: Context['call'];
  /** What flag, environment or profile say, in that order. */
  readonly setting: (place: Place) => string | undefined;
  /** The stack that the profile holds with the name by which it was chosen. The UID counts. */
  readonly chosen: () => ChosenStack | undefined;
  readonly kept: KeptStacks;
}

export interface Places extends PlacesBeside {
  readonly resolve: ResolvePlace;
  readonly listStacks: ListStacks;
  /** Names or UIDs of the stacks that match a pattern; throws not_found. */
  readonly match: (pattern: string) => Promise<readonly string[]>;
  /** Explains a 404 that follows a stack which the service has not been asked for. */
  readonly explain: (problem: Problem) => Problem;
  /** Before a line to paste is printed: gives up the stored name of a stack unless the service, if it answers, still knows the stack by it. */
  readonly verifyChosen: (answers: boolean) => Promise<void>;
  /** `name/environment` of a stack that was found in the list of stacks. */
  readonly stackTitle: (uid: string) => string | undefined;
  /** What was given for a stack that was found, else its UID. */
  readonly stackName: (uid: string) => string;
}

/** Where commands act (cli.md section 2). Nothing is asked of the service unless a name or an only child is to be found. */
export function createPlaces({ call, setting, chosen, kept }: PlaceSources): Places {
  const listStacks = stackList(call);
  let stack: FoundStack | undefined;
  let unverified: ChosenStack | undefined;
  const given = new Map<string, string>();
  const titles = new Map<string, string>();

  const resolve: ResolvePlace = async (field, word, placed) => {
    const name = word ?? (field.place && setting(field.place));
    if (field.place === 'account') return findAccount(call, name);
    if (field.place === 'server-group') return findServerGroup(call, name, String(placed['stack_id']));
    const byName = word === undefined ? chosen() : undefined;
    return byName ? note(...(await stillNamed(listStacks, byName))) : (await find(name)).uid;
  };

  /** A read changes nothing, and sends no request for the name alone. */
  const resolveBeside: ResolvePlace = async (field, word, placed) => {
    const byName = field.place === 'stack' && word === undefined ? chosen() : undefined;
    if (!byName) return beside.resolveBeside(field, word, placed);
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

  function explain(problem: Problem): Problem {
    if (problem.kind !== 'not_found' || stack?.by !== 'guess') return problem;
    const message = `${problem.message} ("${stack.uid}" was used as a UID: no stack has that name)`;
    return new Problem('not_found', message, { ...problem.details, hint: { path: 'stack list' } });
  }

  const verifyChosen = async (answers: boolean) => {
    if (!unverified) return;
    const [, name] = answers ? await stillNamed(listStacks, unverified) : [];
    if (name === undefined) given.delete(unverified.uid);
  };

  const stackTitle = (uid: string) => titles.get(uid);
  const stackName = (uid: string) => given.get(uid) ?? uid;
  const beside = placesBeside({ find, note, resolve, setting, kept });
  const match = (pattern: string) => matchStacks(listStacks, pattern);
  return { ...beside, resolve, resolveBeside, listStacks, match, explain, verifyChosen, stackTitle, stackName };
}

/** The chosen stack with its name, where that still means it. */
async function stillNamed(list: ListStacks, { uid, name }: ChosenStack): Promise<[FoundStack, string?]> {
  const found = await findStack(list, name).catch(() => undefined);
  return found?.uid === uid ? [found, name] : [{ uid, by: 'uid' }];
}
