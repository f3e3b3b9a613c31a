import type { Field, Input } from '../contract/field.ts';
import type { Calls, InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';
import { servers } from '../resources/server.ts';
import { type StackRow, serverGroups, stacks } from '../resources/stack.ts';
import { findStack } from './stack.ts';

/** Returns calls that reach only the stacks of these names. A request for another stack throws and is not sent. */
export function limitToStacks(stackNames: readonly string[], { call, eachPage }: Calls): Calls {
  const readStackUids = once(async () => {
    const rows = await readOrUndefined(call(stacks.list, {}));
    return new Set(await Promise.all(stackNames.map(async (name) => (await findStack(async () => rows, name)).uid)));
  });
  const checkInput = async (operation: Operation, input: Input): Promise<void> => {
    const paramWithTarget = (target: Field['target']) =>
      Object.entries<Field>(operation.params).find(
        ([key, field]) => field.target === target && input[key] !== undefined,
      )?.[0];
    const [stackKey, groupKey] = [paramWithTarget('stack'), paramWithTarget('server-group')];
    if (stackKey !== undefined && !(await readStackUids()).has(String(input[stackKey])))
      throw outsideError('stack', input[stackKey], stackNames);
    if (groupKey !== undefined && !(await readGroupIds()).has(String(input[groupKey])))
      throw outsideError('server group', input[groupKey], stackNames);
    // Tags are requested without a stack, and no list shows the stack of a load balancer, so its tags are refused.
    const { entity_type, entity_id } = input;
    if (entity_type === 'loadbalancer') throw outsideError(entity_type, entity_id, stackNames, 'is not known to');
    if (entity_type === 'server' && !(await readServerUids()).has(String(entity_id)))
      throw outsideError(entity_type, entity_id, stackNames);
  };
  const idsInStacks = async <Row>(
    listRows: (within: { readonly stack_id: string }) => Promise<readonly Row[]>,
    id: keyof Row,
  ) => {
    const lists = [...(await readStackUids())].map((stack_id) => readOrUndefined(listRows({ stack_id })));
    return new Set((await Promise.all(lists)).flatMap((rows = []) => rows.map((row) => String(row[id]))));
  };
  const readGroupIds = once(() => idsInStacks((stackInput) => call(serverGroups.list, stackInput), 'id'));
  const readServerUids = once(() => idsInStacks((stackInput) => call(servers.list, stackInput), 'uid'));
  const filterStackRows = async (rows: readonly unknown[]) => {
    const allowedUids = await readStackUids();
    return rows.filter((row) => allowedUids.has((row as StackRow).uid));
  };
  return {
    call: async <O extends Operation>(operation: O, input: InputOf<O>, more?: Parameters<Calls['call']>[2]) => {
      await checkInput(operation, input);
      if ((operation as Operation) !== stacks.list) return call(operation, input, more);
      const { limit, ...rest } = more ?? {};
      return (await filterStackRows((await call(stacks.list, {}, rest)) ?? [])).slice(0, limit) as ReplyOf<O>;
    },
    eachPage: async (operation, input, take, more) => {
      await checkInput(operation, input);
      const takeAllowedRows: typeof take = async (rows) => take(await filterStackRows(rows));
      return eachPage(operation, input, (operation as Operation) === stacks.list ? takeAllowedRows : take, more);
    },
  };
}

function outsideError(kind: string, name: unknown, stackNames: readonly string[], negation = 'does not'): CliError {
  return new CliError(
    'forbidden',
    `${kind} ${String(name)} ${negation} belong to the stacks of this server: ${stackNames.join(', ')}`,
  );
}
