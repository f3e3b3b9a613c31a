import type { Context } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import { serverGroups } from '../resources/stack.ts';

/** The id given, else the stack's only server group, if the service tells. */
export async function findServerGroup(
  call: Context['call'],
  given: string | undefined,
  stack: string,
): Promise<string> {
  if (given !== undefined) return checkedId(given);
  const groups = await listGroups(call, stack);
  const [only] = groups;
  if (only && groups.length === 1) return String(only.id);
  const list = groups.map(({ id, name }) => `${id} (${name})`).join(', ');
  const hint = 'use -g ID, set STACKOPS_SERVER_GROUP, or run "stackops profile set server_group=ID"';
  throw new Problem('usage', `no server group given${list ? `, and the stack has several: ${list}` : ''}`, { hint });
}

function checkedId(given: string): string {
  if (/^[1-9][0-9]{0,18}$/.test(given)) return given;
  throw new Problem('usage', `--server-group must be a whole number, not "${given}"`);
}

/** Empty when the service does not tell. */
async function listGroups(
  call: Context['call'],
  stack: string,
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  try {
    return await call(serverGroups.list, { stack_id: stack });
  } catch (error) {
    if (error instanceof Problem && [403, 404, 501].includes(error.details.status ?? 0)) return [];
    throw error;
  }
}
