import type { Names } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { isObject } from '../contract/values/json-object.ts';
import type { Name } from './candidate.ts';

/** How the names of one kind are read from the service. */
export interface Source {
  readonly list: Operation;
  readonly read: (rows: readonly Row[]) => readonly Name[];
  /** Cached for a shorter time, because deployments and actions change on their own. */
  readonly changesOften?: true;
  /** The argument that names the parent resource, and the input it adds to the request. */
  readonly below?: {
    readonly argument: string;
    readonly input: (argument: string, servers: () => Promise<readonly Row[]>) => Promise<Row | undefined>;
  };
}

/** Names that only the service knows. Each resource module is loaded when it is needed. */
export const sources: Readonly<Partial<Record<Names, () => Promise<Source>>>> = {
  stack: async () => ({ list: (await import('../resources/stack.ts')).stacks.list, read: readStacks }),
  'server group': async () => ({
    list: (await import('../resources/stack.ts')).serverGroups.list,
    read: each((row) => ({ value: text(row, 'id'), about: joined(text(row, 'name'), text(row, 'type')) })),
  }),
  account: async () => ({
    list: (await import('../resources/account.ts')).accounts.list,
    read: each((row) => ({ value: text(row, 'id'), about: text(row, 'friendly_name') })),
  }),
  'environment variable': async () => ({
    list: (await import('../resources/env.ts')).environments.list,
    read: each(keyOf),
  }),
  'stack setting': async () => ({
    list: (await import('../resources/stack-setting.ts')).stackSettings.list,
    read: each(keyOf),
  }),
  'server setting': async () => ({
    list: (await import('../resources/server-setting.ts')).serverSettings.list,
    read: each(keyOf),
    below: { argument: 'server_id', input: serverInput },
  }),
  server: async () => ({ list: (await import('../resources/server.ts')).servers.list, read: readServers }),
  entity: async () => ({
    list: (await import('../resources/server.ts')).servers.list,
    read: each((row) => ({ value: `server/${text(row, 'uid')}`, about: text(row, 'name') })),
  }),
  deployment: async () => ({
    list: (await import('../resources/deployment.ts')).deployments.list,
    changesOften: true,
    read: each((row) => ({
      value: text(row, 'id'),
      about: joined(text(inner(row, 'outcome'), 'meaning'), text(row, 'git_hash').slice(0, 7)),
      at: text(row, 'started_at'),
    })),
  }),
  variant: async () => ({
    list: (await import('../resources/variant.ts')).variants.list,
    changesOften: true,
    read: each((row) => ({
      value: text(row, 'uid'),
      about: joined(text(row, 'variant_type') || text(row, 'type'), share(row)),
    })),
  }),
  'process name': async () => ({
    list: (await import('../resources/process.ts')).processes.list,
    changesOften: true,
    read: each((row) => ({ value: text(row, 'name'), about: running(inner(row, 'servers')) })),
  }),
  tag: async () => ({
    list: (await import('../resources/tag.ts')).tags.list,
    read: (rows) => rows.flatMap(tagsOf),
    below: { argument: 'entity', input: entityInput },
  }),
  database: async () => ({
    list: (await import('../resources/database.ts')).databases.list,
    read: each((row) => ({ value: text(row, 'name'), about: text(row, 'uid') })),
  }),
  'database id': async () => ({
    list: (await import('../resources/database.ts')).databases.list,
    read: each((row) => ({ value: text(row, 'uid'), about: text(row, 'name') })),
  }),
  'database user': async () => ({
    list: (await import('../resources/database-user.ts')).databaseUsers.list,
    read: each((row) => ({ value: text(row, 'username'), about: text(row, 'user_type') })),
  }),
  'database user id': async () => ({
    list: (await import('../resources/database-user.ts')).databaseUsers.list,
    read: each((row) => ({ value: text(row, 'uid'), about: text(row, 'username') })),
  }),
  gateway: async () => ({
    list: (await import('../resources/gateway.ts')).gateways.list,
    read: each((row) => ({ value: text(row, 'name'), about: `id ${text(row, 'id')}` })),
  }),
  cluster: async () => ({
    list: (await import('../resources/cluster.ts')).clusters.list,
    read: each((row) => ({ value: text(row, 'name'), about: text(row, 'environment') })),
  }),
  backup: async () => ({
    list: (await import('../resources/backup.ts')).backups.list,
    read: each((row) => ({
      value: text(row, 'id'),
      about: joined(text(row, 'db_type'), text(row, 'database_name')),
      at: text(row, 'backup_date_iso'),
    })),
  }),
  'backup file': async () => ({
    list: (await import('../resources/backup.ts')).backups.files,
    read: each((row) => ({ value: text(row, 'id'), about: text(row, 'name') })),
    below: { argument: 'backup_id', input: async (id) => ({ backup_id: id }) },
  }),
  user: async () => ({
    list: (await import('../resources/user.ts')).users.list,
    read: each((row) => ({ value: text(row, 'email'), about: `id ${text(row, 'id')}` })),
  }),
  action: async () => ({
    list: (await import('../resources/action.ts')).actions.list,
    changesOften: true,
    read: each((row) => ({
      value: text(row, 'id'),
      about: text(row, 'action') || text(row, 'action_type'),
      at: text(row, 'started_at'),
    })),
  }),
};

function each(read: (row: Row) => Name): Source['read'] {
  return (rows) => rows.map(read);
}

/** The response is not validated: an unexpected value becomes an empty name, and those are left out. */
function text(row: Row, field: string): string {
  const value = row[field];
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : '';
}

function inner(row: Row, field: string): Row {
  const value = row[field];
  return isObject(value) ? value : {};
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function keyOf(row: Row): Name {
  return { value: text(row, 'key'), about: row['readonly'] === true ? 'read-only' : '' };
}

/** Two stacks of one name are distinguished by their environment, as commands take it. */
function readStacks(rows: readonly Row[]): readonly Name[] {
  return rows.map((row) => {
    const [name, environment] = [text(row, 'name'), text(row, 'environment')];
    const isAlone = rows.filter((other) => text(other, 'name') === name).length === 1;
    return { value: isAlone ? name : `${name}/${environment}`, about: environment };
  });
}

function readServers(rows: readonly Row[]): readonly Name[] {
  return rows.map((row) => {
    const name = text(row, 'name');
    const isAlone = rows.filter((other) => text(other, 'name') === name).length === 1;
    const roles = Array.isArray(row['server_roles']) ? row['server_roles'].map(String).join(' and ') : '';
    return isAlone ? { value: name, about: roles } : { value: text(row, 'uid'), about: joined(name, roles) };
  });
}

function share(row: Row): string {
  const percentage = text(row, 'percentage') || text(row, 'traffic_percentage');
  return percentage === '' ? '' : `${percentage} %`;
}

function running(servers: Row): string {
  const counts = Object.values(servers).map(Number);
  return counts.length === 0 ? '' : `${counts.reduce((sum, count) => sum + count, 0)} running`;
}

function tagsOf(entry: Row): readonly Name[] {
  const tags: readonly unknown[] = Array.isArray(entry['tags']) ? entry['tags'] : [];
  return tags.map((tag) => ({
    value: typeof tag === 'string' ? tag : text(inner({ tag }, 'tag'), 'value'),
    about: '',
  }));
}

async function entityInput(entity: string): Promise<Row | undefined> {
  const [, entity_type, entity_id] = /^(server|loadbalancer)\/([^/,]+)/.exec(entity) ?? [];
  return entity_type === undefined ? undefined : { entity_type, entity_id };
}

async function serverInput(server: string, servers: () => Promise<readonly Row[]>): Promise<Row | undefined> {
  if (/^[0-9a-f]{32}$/i.test(server)) return { server_id: server };
  const found = (await servers()).find((row) => text(row, 'name') === server);
  return found && { server_id: text(found, 'uid') };
}
