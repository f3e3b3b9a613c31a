import type { Field, Input } from '../contract/field.ts';
import type { Calls, InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';

import { type StackRow, serverGroups, stacks } from '../resources/stack.ts';
import { findStack } from './stack.ts';

/**
 * Calls that reach only the stacks of these names: others are not listed, and a request that names one is refused
 * before it is sent.
 */
export function withinStacks(names: readonly string[], { call, eachPage }: Calls): Calls {
  let found: Promise<ReadonlySet<string>> | undefined;
  const findAll = async () => {
    const rows = await readOrUndefined(call(stacks.list, {}));
    return new Set(await Promise.all(names.map(async (name) => (await findStack(async () => rows, name)).uid)));
  };
  const uids = () => (found ??= findAll());
  const checked = async (operation: Operation, input: Input): Promise<void> => {
    const named = (target: Field['target']) =>
      Object.entries<Field>(operation.params).find(
        ([key, field]) => field.target === target && input[key] !== undefined,
      )?.[0];
    const [stack, group] = [named('stack'), named('server-group')];
    if (stack !== undefined && !(await uids()).has(String(input[stack]))) throw outside('stack', input[stack], names);
    if (group !== undefined && !(await groups()).has(String(input[group])))
      throw outside('server group', input[group], names);
  };
  const groups = async () => {
    const lists = [...(await uids())].map((stack_id) => readOrUndefined(call(serverGroups.list, { stack_id })));
    return new Set((await Promise.all(lists)).flatMap((rows = []) => rows.map(({ id }) => String(id))));
  };
  const inside = async (rows: readonly unknown[]) => {
    const known = await uids();
    return rows.filter((row) => known.has((row as StackRow).uid));
  };
  return {
    call: async <O extends Operation>(operation: O, input: InputOf<O>, more?: Parameters<Calls['call']>[2]) => {
      await checked(operation, input);
      if ((operation as Operation) !== stacks.list) return call(operation, input, more);
      const { limit, ...rest } = more ?? {};
      return (await inside((await call(stacks.list, {}, rest)) ?? [])).slice(0, limit) as ReplyOf<O>;
    },
    eachPage: async (operation, input, take, more) => {
      await checked(operation, input);
      const takeInside: typeof take = async (rows) => take(await inside(rows));
      return eachPage(operation, input, (operation as Operation) === stacks.list ? takeInside : take, more);
    },
  };
}

function outside(kind: string, name: unknown, names: readonly string[]): CliError {
  return new CliError(
    'forbidden',
    `${kind} ${String(name)} does not belong to the stacks of this server: ${names.join(', ')}`,
  );
}
