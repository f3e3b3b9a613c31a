import type { Names } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { isObject } from '../contract/values/json.ts';
import type { BackupRow } from '../resources/backup.ts';
import type { Name } from './candidate.ts';

export interface Source {
  readonly list: Operation;
  readonly read: (rows: readonly Row[]) => readonly Name[];
  /** Cached for a shorter time, because deployments and actions change on their own. */
  readonly changesOften?: true;
  /** The argument that names the parent resource, and the input it adds to the request. */
  readonly below?: {
    readonly argument: string;
    readonly input: (argument: string, lists: Lists) => Promise<Row | undefined>;
  };
}

/** The rows of other lists of the same stack. */
export interface Lists {
  readonly servers: () => Promise<readonly Row[]>;
  readonly backups: () => Promise<readonly Row[]>;
}

const servers = async () => (await import('../resources/server.ts')).servers.list;
const databases = async () => (await import('../resources/database.ts')).databases.list;
const databaseUsers = async () => (await import('../resources/database-user.ts')).databaseUsers.list;
const often = { changesOften: true } as const;

/** Names that only the service knows. Each resource module is loaded when it is needed. */
export const sources: Readonly<Partial<Record<Names, () => Promise<Source>>>> = {
  stack: from(async () => (await import('../resources/stack.ts')).stacks.list, readStacks),
  'server group': from(
    async () => (await import('../resources/stack.ts')).serverGroups.list,
    named('id', (row) => joined(text(row, 'name'), text(row, 'type'))),
  ),
  account: from(async () => (await import('../resources/account.ts')).accounts.list, named('id', 'friendly_name')),
  'environment variable': from(async () => (await import('../resources/env.ts')).environments.list, keys),
  'stack setting': from(async () => (await import('../resources/setting.ts')).stackSettings.list, keys),
  'server setting': from(async () => (await import('../resources/setting.ts')).serverSettings.list, keys, {
    below: { argument: 'server_id', input: serverInput },
  }),
  server: from(servers, readServers),
  'server path': from(
    servers,
    each((row) => ({ value: `${text(row, 'name')}:`, about: 'a path on this server' })),
  ),
  entity: from(
    servers,
    each((row) => ({ value: `server/${text(row, 'uid')}`, about: text(row, 'name') })),
  ),
  deployment: from(
    async () => (await import('../resources/deployment.ts')).deployments.list,
    named(
      'id',
      (row) => joined(text(inner(row, 'outcome'), 'meaning'), text(row, 'git_hash').slice(0, 7)),
      'started_at',
    ),
    often,
  ),
  variant: from(
    async () => (await import('../resources/variant.ts')).variants.list,
    named('uid', (row) => joined(text(row, 'variant_type') || text(row, 'type'), share(row))),
    often,
  ),
  'process name': from(
    async () => (await import('../resources/process.ts')).processes.list,
    named('name', (row) => running(inner(row, 'servers'))),
    often,
  ),
  tag: from(
    async () => (await import('../resources/tag.ts')).tags.list,
    (rows) => rows.flatMap(tagsOf),
    { below: { argument: 'entity', input: entityInput } },
  ),
  database: from(databases, named('name', 'uid')),
  'database id': from(databases, named('uid', 'name')),
  'database user': from(databaseUsers, named('username', 'user_type')),
  'database user id': from(databaseUsers, named('uid', 'username')),
  gateway: from(async () => (await import('../resources/gateway.ts')).gateways.list, named('name', withId)),
  cluster: from(async () => (await import('../resources/cluster.ts')).clusters.list, named('name', 'environment')),
  backup: from(
    async () => (await import('../resources/backup.ts')).backups.list,
    named('id', (row) => joined(text(row, 'db_type'), text(row, 'database_name')), 'backup_date_iso'),
  ),
  'backup file': from(async () => (await import('../resources/backup.ts')).backups.files, named('id', 'name'), {
    below: { argument: 'backup_id', input: backupInput },
  }),
  user: from(async () => (await import('../resources/user.ts')).users.list, named('email', withId)),
  action: from(
    async () => (await import('../resources/action.ts')).actions.list,
    named('id', (row) => text(row, 'action') || text(row, 'action_type'), 'started_at'),
    often,
  ),
};

function from(
  list: () => Promise<Operation>,
  read: Source['read'],
  more: Pick<Source, 'changesOften' | 'below'> = {},
): () => Promise<Source> {
  return async () => ({ list: await list(), read, ...more });
}

function each(read: (row: Row) => Name): Source['read'] {
  return (rows) => rows.map(read);
}

/** The fields of the name and of what is said about it, and that of its time. */
function named(value: string, about: string | ((row: Row) => string), at?: string): Source['read'] {
  return each((row) => ({
    value: text(row, value),
    about: typeof about === 'string' ? text(row, about) : about(row),
    ...(at && { at: text(row, at) }),
  }));
}

function text(row: Row, field: string): string {
  const value = row[field];
  // A value of an unexpected type becomes an empty name, which is left out.
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : '';
}

function inner(row: Row, field: string): Row {
  const value = row[field];
  return isObject(value) ? value : {};
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function keys(rows: readonly Row[]): readonly Name[] {
  return rows.map((row) => ({ value: text(row, 'key'), about: row['readonly'] === true ? 'read-only' : '' }));
}

function withId(row: Row): string {
  return `id ${text(row, 'id')}`;
}

function isOnly(name: string, rows: readonly Row[]): boolean {
  return rows.filter((other) => text(other, 'name') === name).length === 1;
}

function readStacks(rows: readonly Row[]): readonly Name[] {
  return rows.map((row) => {
    const [name, environment] = [text(row, 'name'), text(row, 'environment')];
    // As commands take it.
    return { value: isOnly(name, rows) ? name : `${name}/${environment}`, about: environment };
  });
}

function readServers(rows: readonly Row[]): readonly Name[] {
  return rows.map((row) => {
    const name = text(row, 'name');
    const roles = Array.isArray(row['server_roles']) ? row['server_roles'].map(String).join(' and ') : '';
    return isOnly(name, rows) ? { value: name, about: roles } : { value: text(row, 'uid'), about: joined(name, roles) };
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

async function backupInput(backup: string, { backups }: Lists): Promise<Row | undefined> {
  if (backup !== 'latest') return { backup_id: backup };
  const { backupsNewestFirst, isGood } = await import('../resources/backup.ts');
  const found = backupsNewestFirst((await backups()) as readonly BackupRow[]).find(isGood);
  return found && { backup_id: found.id };
}

async function serverInput(server: string, { servers }: Lists): Promise<Row | undefined> {
  if (/^[0-9a-f]{32}$/i.test(server)) return { server_id: server };
  const found = (await servers()).find((row) => text(row, 'name') === server);
  return found && { server_id: text(found, 'uid') };
}
