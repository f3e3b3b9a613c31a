import { findAmong, matchAmong } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { optional, text } from '../../contract/field.ts';
import { stackParam, uidPattern } from '../../contract/params.ts';
import { isPattern } from '../../contract/values/text.ts';
import { CliError, rethrowAs } from '../../errors/cli-error.ts';
import { type ServerRow, server, servers } from '../../resources/server.ts';
import { type Entity, type TagEntryRow, tags } from '../../resources/tag.ts';

/** An entity with its name in the input, `server/3f2a…`, and its stack if it was found by name. */
export type NamedEntity = Entity & { readonly name: string; readonly stack_id?: string };

export const entityParams = {
  entity: text('Entity: server/NAME, server/UID or loadbalancer/ID; commas for several.', {
    label: 'ENTITY',
    nameKind: 'entity',
    commas: true,
  }),
  stack_id: optional(stackParam),
};

/**
 * Reads `server/a,loadbalancer/7` and `server/web-*` as distinct entities. Throws `usage` for another format, and
 * `not_found` or `ambiguous` if a server name is unknown or repeated.
 */
export async function readEntities(context: Context, argument: string): Promise<readonly NamedEntity[]> {
  const entities = [...new Set(argument.split(','))].map((name) => ({ ...parseEntity(name), name }));
  if (!entities.some(isServerByName)) return entities;
  const stack_id = await context.resolveTarget(stackParam).then(String, (error: unknown) => {
    // A `usage` error means that no stack is selected. The argument may still be a UID, so this is no error yet.
    if (error instanceof CliError && error.kind === 'usage' && !isPattern(argument)) return undefined;
    throw error;
  });
  if (stack_id === undefined) return entities;
  const serverRows = await context.call(servers.list, { stack_id });
  const found = entities.flatMap((one) => (isServerByName(one) ? findServers(serverRows, one, stack_id) : one));
  const ids = found.map(({ entity_type, entity_id }) => `${entity_type}/${entity_id}`);
  return found.filter((_, at) => ids.indexOf(ids[at] ?? '') === at);
}

/** Throws `usage` for a pattern, because a change needs exact names. */
export function refusePattern({ command }: Context, argument: string): void {
  const pattern = argument.split(',').find(isPattern);
  if (pattern === undefined) return;
  const message = `"${command}" needs exact names, not "${pattern}"`;
  throw new CliError('usage', message, { nothing: 'changed', hint: 'use "tags list" to see which servers match' });
}

function findServers(serverRows: readonly ServerRow[], entity: NamedEntity, stack_id: string): readonly NamedEntity[] {
  const { entity_type, entity_id } = entity;
  if (isPattern(entity_id)) {
    return matchAmong(server, serverRows, { pattern: entity_id, input: { stack_id } }).map(({ uid, name }) => {
      return { entity_type, entity_id: uid, name: `server/${name}`, stack_id };
    });
  }
  const { uid } = findAmong(server, serverRows, entity_id, { stack_id });
  return [{ ...entity, entity_id: uid, ...(uid !== entity_id && { stack_id }) }];
}

function isServerByName({ entity_type, entity_id }: Entity): boolean {
  return entity_type === 'server' && !uidPattern.test(entity_id);
}

function parseEntity(name: string): Entity {
  const [, entity_type, entity_id] = /^(server|loadbalancer)\/(?!\.\.?$)([^/\\#%;\s]+)$/.exec(name) ?? [];
  if (entity_type === 'loadbalancer' && entity_id && isPattern(entity_id)) {
    throw new CliError('usage', `give loadbalancer/ID, not "${name}": only names of servers may be patterns`);
  }
  if ((entity_type === 'server' || entity_type === 'loadbalancer') && entity_id) return { entity_type, entity_id };
  const isServerName = /^(?!server$|loadbalancer$)(?=[\d_.-]*[a-z])[\w.-]+$/i.test(name);
  const correction = isServerName ? { replace: { word: name, by: [`server/${name}`] } } : undefined;
  throw new CliError('usage', `give server/NAME, server/UID or loadbalancer/ID, not "${name}"`, { correction });
}

export async function readTagEntry(context: Context, entity: Entity): Promise<TagEntryRow> {
  const { entity_type, entity_id } = entity;
  const explain = (error: CliError) => {
    if (error.kind !== 'not_found' || !isServerByName(entity)) return error;
    return error.with({ hint: 'to use the name of a server, also give its stack with -s' });
  };
  return context.call(tags.list, { entity_type, entity_id }).catch(rethrowAs(explain));
}
