import type { Context } from '../contract/command.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { stacks } from '../resources/stack.ts';

export interface FoundStack {
  readonly uid: string;
  /** Found in the list of stacks, typed as a whole UID, or taken as one although no stack has that name. */
  readonly by: 'list' | 'uid' | 'guess';
  /** `name/environment`, where it was found in the list. */
  readonly title?: string;
}

interface NamedStack {
  readonly uid: string;
  readonly name: string;
  readonly environment: string;
}

/** A 32-digit hex UID is used as it is; anything else is an exact name or `name/environment`. */
export async function findStack(call: Context['call'], given: string | undefined): Promise<FoundStack> {
  if (given === undefined || given === '') throw noStack();
  if (/^[0-9a-f]{32}$/i.test(given)) return { uid: given, by: 'uid' };
  const known = await listStacks(call);
  const found = known?.filter((stack) => answersTo(stack, given)) ?? [];
  if (found.length > 1) throw ambiguous(given, found);
  if (found[0]) return { uid: found[0].uid, by: 'list', title: titleOf(found[0]) };
  if (/^[0-9a-f]{4,64}$/i.test(given)) return { uid: given, by: 'guess' };
  throw known ? unknownStack(given, known) : cannotLookUp(given);
}

function titleOf({ name, environment }: NamedStack): string {
  return environment ? `${name}/${environment}` : name;
}

function answersTo({ uid, name, environment }: NamedStack, given: string): boolean {
  return given === uid || given === name || given === `${name}/${environment}`;
}

/** Undefined when the service does not offer the collection, or the token may not read it. */
async function listStacks(call: Context['call']): Promise<readonly NamedStack[] | undefined> {
  try {
    return await call(stacks.list, {});
  } catch (error) {
    if (error instanceof Problem && [403, 404, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

function noStack(): Problem {
  const message =
    'no stack was named: give -s NAME, set STACKOPS_STACK, or choose a default with "stackops stack use NAME"';
  return new Problem('usage', message, { hint: { path: 'stack list' } });
}

function ambiguous(given: string, found: readonly NamedStack[]): Problem {
  const list = found.map(({ uid, name, environment }) => `${name}/${environment} (${uid})`).join(', ');
  // Not the command with one of them: nobody shall paste a choice that we have made.
  return new Problem('ambiguous', `${found.length} stacks are called "${given}": ${list}`, {
    hint: { path: 'stack list' },
  });
}

function unknownStack(given: string, known: readonly NamedStack[]): Problem {
  const close = nearest(
    given,
    known.map(({ name }) => name),
  );
  return new Problem('not_found', `no stack is called "${given}"${close ? `; did you mean "${close}"?` : ''}`, {
    hint: { path: 'stack list' },
  });
}

function cannotLookUp(given: string): Problem {
  return new Problem(
    'not_found',
    `"${given}" cannot be looked up: this service or token does not offer the list of stacks`,
    {
      hint: 'give the UID of the stack in place of its name',
    },
  );
}
