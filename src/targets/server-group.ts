import type { Calls, ReplyOf } from '../contract/operation.ts';
import { databaseTypes } from '../contract/params.ts';
import { CliError, readOrUndefined } from '../errors/cli-error.ts';
import { serverGroups } from '../resources/stack.ts';

type ServerGroups = ReplyOf<typeof serverGroups.list>;

/** Returns the ID of the server group that `input` names by ID or name, or of the only group if there is no `input`. */
export async function findServerGroupId(call: Calls['call'], stack_id: string, input?: string): Promise<string> {
  if (input !== undefined && /^[1-9][0-9]{0,18}$/.test(input)) return input;
  const groups = (await readOrUndefined(call(serverGroups.list, { stack_id }))) ?? [];
  if (groups.some(({ id }) => id == null))
    throw new CliError('unavailable', 'the service sent a server group without its id');
  if (input !== undefined) return groupIdByName(input, groups);
  const [first] = groups;
  if (!first) {
    throw new CliError('usage', 'which server group? this service or token does not list them', {
      hint: 'give the ID of the server group with -g',
    });
  }
  if (groups.length === 1) return String(first.id);
  // Only database commands take a group, so the hint prefers a group with databases.
  const id = String((groups.find(({ type }) => databaseTypes.some((one) => one === type)) ?? first).id);
  const hint = { path: 'db list', stack_id, server_group_id: id };
  throw new CliError('usage', `which server group? ${groupsText(groups)}`, { hint, correction: { add: ['-g', id] } });
}

function groupIdByName(input: string, groups: ServerGroups): string {
  if (groups.length === 0) {
    const message = `server group "${input}" not found: this service or token does not list server groups`;
    throw new CliError('not_found', message, { hint: 'give the ID of the server group instead of its name' });
  }
  const [only, ...otherGroups] = groups.filter(({ name }) => name === input);
  if (!only) throw new CliError('not_found', `server group "${input}" not found; the stack has ${groupsText(groups)}`);
  if (otherGroups.length === 0) return String(only.id);
  const ids = [only, ...otherGroups].map(({ id }) => id).join(', ');
  throw new CliError('ambiguous', `${otherGroups.length + 1} server groups are called "${input}": ${ids}`);
}

function groupsText(groups: ServerGroups): string {
  return groups.map(({ id, name }) => `${id} (${name ?? '-'})`).join(', ');
}
