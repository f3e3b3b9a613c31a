import type { Field, Input } from '../contract/field.ts';
import type { Calls, InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';
import { servers } from '../resources/server.ts';
import { type StackRow, serverGroups, stacks } from '../resources/stack.ts';
import { findStack } from './stack.ts';

/** Calls that reach only the stacks of these names: a request for another stack is refused before it is sent. */
export function withinStacks(names: readonly string[], { call, eachPage }: Calls): Calls {
  const uids = once(async () => {
    const rows = await readOrUndefined(call(stacks.list, {}));
    return new Set(await Promise.all(names.map(async (name) => (await findStack(async () => rows, name)).uid)));
  });
  const checked = async (operation: Operation, input: Input): Promise<void> => {
    const named = (target: Field['target']) =>
      Object.entries<Field>(operation.params).find(
        ([key, field]) => field.target === target && input[key] !== undefined,
      )?.[0];
    const [stack, group] = [named('stack'), named('server-group')];
    if (stack !== undefined && !(await uids()).has(String(input[stack])))
      throw outsideError('stack', input[stack], names);
    if (group !== undefined && !(await groups()).has(String(input[group])))
      throw outsideError('server group', input[group], names);
    // The tags of an entity are found by its ID alone, and no list shows the stack of a load balancer.
    const { entity_type, entity_id } = input;
    if (entity_type === 'loadbalancer') throw outsideError(entity_type, entity_id, names, 'is not known to');
    if (entity_type === 'server' && !(await serverUids()).has(String(entity_id)))
      throw outsideError(entity_type, entity_id, names);
  };
  const idsOf = async <Row>(
    list: (within: { readonly stack_id: string }) => Promise<readonly Row[]>,
    id: keyof Row,
  ) => {
    const lists = [...(await uids())].map((stack_id) => readOrUndefined(list({ stack_id })));
    return new Set((await Promise.all(lists)).flatMap((rows = []) => rows.map((row) => String(row[id]))));
  };
  const groups = once(() => idsOf((within) => call(serverGroups.list, within), 'id'));
  const serverUids = once(() => idsOf((within) => call(servers.list, within), 'uid'));
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

function outsideError(kind: string, name: unknown, names: readonly string[], not = 'does not'): CliError {
  return new CliError(
    'forbidden',
    `${kind} ${String(name)} ${not} belong to the stacks of this server: ${names.join(', ')}`,
  );
}
