import type { Context } from '../contract/command.ts';
import type { Place, ResolvePlace } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';
import { findAccount } from './account.ts';
import { type PlacesBeside, placesBeside } from './beside.ts';
import type { KeptStacks } from './kept-stacks.ts';
import { findServerGroup } from './server-group.ts';
import { type FoundStack, findStack, type ListStacks, matchStacks, stackList } from './stack.ts';

export interface PlaceSources {
  readonly call: Context['call'];
  /** What flag, environment or profile say, in that order. */
  readonly setting: (place: Place) => string | undefined;
  readonly kept: KeptStacks;
}

export interface Places extends PlacesBeside {
  readonly resolve: ResolvePlace;
  readonly listStacks: ListStacks;
  /** Names or UIDs of the stacks that match a pattern; throws not_found. */
  readonly match: (pattern: string) => Promise<readonly string[]>;
  /** Explains a 404 that follows a stack which the service has not been asked for. */
  readonly explain: (problem: Problem) => Problem;
  /** `name/environment` of a stack that was found in the list of stacks. */
  readonly stackTitle: (uid: string) => string | undefined;
  /** What was given for a stack that was found, else its UID. */
  readonly stackName: (uid: string) => string;
}

/** Where commands act (cli.md section 2). Nothing is asked of the service unless a name or an only child is to be found. */
export function createPlaces({ call, setting, kept }: PlaceSources): Places {
  const listStacks = stackList(call);
  let stack: FoundStack | undefined;
  const given = new Map<string, string>();
  const titles = new Map<string, string>();

  const resolve: ResolvePlace = async (field, word, placed) => {
    const name = word ?? (field.place && setting(field.place));
    if (field.place === 'account') return findAccount(call, name);
    if (field.place === 'server-group') return findServerGroup(call, name, String(placed['stack_id']));
    return (await find(name)).uid;
  };

  const find = async (name: string | undefined): Promise<FoundStack> => {
    const found = await findStack(listStacks, name);
    note(found, name);
    return found;
  };

  function note(found: FoundStack, name: string | undefined): string {
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

  const stackTitle = (uid: string) => titles.get(uid);
  const stackName = (uid: string) => given.get(uid) ?? uid;
  const beside = placesBeside({ find, note, resolve, setting, kept });
  const match = (pattern: string) => matchStacks(listStacks, pattern);
  return { resolve, listStacks, match, ...beside, explain, stackTitle, stackName };
}
