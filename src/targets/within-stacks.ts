import type { Field, Input } from '../contract/field.ts';
import type { Calls, InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
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
    const { entity_type, entity_id } = input;
    // Tags are requested without a stack, and no list shows the stack of a load balancer, so its tags are refused.
    if (entity_type === 'loadbalancer') throw outsideError(entity_type, entity_id, stackNames, 'is not known to');
    const params = Object.entries<Field>(operation.params);
    const idOf = (target: Field['target']) => {
      const ids = params.filter(([, field]) => field.target === target).map(([name]) => input[name]);
      return ids.find((id) => id !== undefined);
    };
    const checks = [
      ['stack', idOf('stack'), readStackUids],
      ['server group', idOf('server-group'), readGroupIds],
      ['server', entity_type === 'server' ? String(entity_id) : undefined, readServerUids],
    ] as const;
    for (const [kind, id, readAllowedIds] of checks) {
      if (id !== undefined && !(await readAllowedIds()).has(String(id))) throw outsideError(kind, id, stackNames);
    }
  };
  const idsInStacks = (list: Operation, idField: string) =>
    once(async () => {
      const readRows = (stack_id: string) => readOrUndefined<readonly Row[]>(call(list, { stack_id }));
      const lists = await Promise.all([...(await readStackUids())].map(readRows));
      return new Set(lists.flatMap((rows = []) => rows.map((row) => String(row[idField]))));
    });
  const readGroupIds = idsInStacks(serverGroups.list, 'id');
  const readServerUids = idsInStacks(servers.list, 'uid');
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
  const message = `${kind} ${name} ${negation} belong to the stacks of this server: ${stackNames.join(', ')}`;
  return new CliError('forbidden', message);
}
