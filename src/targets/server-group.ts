import type { Context } from '../contract/command.ts';
import { CliError } from '../errors/cli-error.ts';
import { readOrUndefined } from '../errors/unreadable.ts';
import { databaseTypes } from '../resources/shared.ts';
import { serverGroups } from '../resources/stack.ts';

interface ServerGroup {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/** The ID given, the ID of the group of that name, else the stack's only server group, if the service tells. */
export async function findServerGroup(
  call: Context['call'],
  given: string | undefined,
  stack: string,
): Promise<string> {
  if (given !== undefined && /^[1-9][0-9]{0,18}$/.test(given)) return given;
  const groups = await listGroups(call, stack);
  if (given !== undefined) return idOfGroup(given, groups);
  const [first] = groups;
  if (!first) {
    throw new CliError('usage', 'which server group? this service or token does not list them', {
      hint: 'give the ID of the server group with -g',
    });
  }
  if (groups.length === 1) return String(first.id);
  // Only databases have a group, so the line to paste names one that holds some.
  const id = String((groups.find(({ type }) => databaseTypes.some((one) => one === type)) ?? first).id);
  const listing = { path: 'db list', stack_id: stack, server_group_id: id };
  throw new CliError('usage', `which server group? ${listOf(groups)}`, {
    hint: listing,
    correction: { add: ['-g', id] },
  });
}

function idOfGroup(given: string, groups: readonly ServerGroup[]): string {
  if (groups.length === 0) {
    const message = `server group "${given}" not found: this service or token does not list server groups`;
    throw new CliError('not_found', message, { hint: 'give the ID of the server group instead of its name' });
  }
  const [only, ...more] = groups.filter(({ name }) => name === given);
  if (!only) throw new CliError('not_found', `server group "${given}" not found; the stack has ${listOf(groups)}`);
  if (more.length === 0) return String(only.id);
  const ids = [only, ...more].map(({ id }) => id).join(', ');
  throw new CliError('ambiguous', `${more.length + 1} server groups are called "${given}": ${ids}`);
}

function listOf(groups: readonly ServerGroup[]): string {
  return groups.map(({ id, name }) => `${id} (${name ?? '-'})`).join(', ');
}

async function listGroups(call: Context['call'], stack: string): Promise<readonly ServerGroup[]> {
  const groups = (await readOrUndefined(call(serverGroups.list, { stack_id: stack }))) ?? [];
  if (groups.every(({ id }) => id != null)) return groups;
  throw new CliError('unavailable', 'the service sent a server group without its id');
}
