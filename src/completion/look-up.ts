import type { Field, NameKind, ResolveTarget, TargetKind } from '../contract/field.ts';
import type { Calls, Operation } from '../contract/operation.ts';
import { uidPattern } from '../contract/params.ts';
import type { Row } from '../contract/record.ts';
import { asObject, isObject } from '../contract/values/json.ts';
import type { Name, NameCache } from './name-cache.ts';

export interface LookupContext extends Calls {
  readonly resolveTarget: ResolveTarget;
  /** Returns a target's name as typed in a flag, the environment or the profile; undefined if it is in none. */
  readonly setting: (target: TargetKind) => string | undefined;
  /** The saved names; undefined when names need no request or cannot be saved. */
  readonly cache: NameCache | undefined;
  readonly deadline: AbortSignal;
}

interface NameSearch {
  readonly nameKind: NameKind;
  /** Arguments typed before the cursor, by field name: `{ server_id: 'shop-web-1' }`. */
  readonly args: Readonly<Record<string, string>>;
}

const shortMaxAgeMs = 60_000;
const longMaxAgeMs = 300_000;
/** Maximum age of cached names that are offered while the service does not respond. */
const staleMaxAgeMs = 3_600_000;
/** Key of the cache entry for a service that did not respond in time. While this entry is fresh, no request is sent. */
const noResponseKey = 'noResponse';
const noResponseMs = 10_000;
/** Maximum rows that are read of a list that changes often, newest first. Older rows are rarely needed. */
const maxRows = 300;

/** Returns names of one kind from the cache or the service. If the service fails, the names may be old, few or none. */
export async function lookUpNames(search: NameSearch, context: LookupContext): Promise<readonly Name[]> {
  const source = await nameSources[search.nameKind]?.();
  if (!source) return [];
  const { cache, deadline } = context;
  const key = cacheKey(search, source, context);
  const cachedNames = cache?.find(key, source.changesOften ? shortMaxAgeMs : longMaxAgeMs);
  if (cachedNames) return cachedNames;
  const staleNames = cache?.find(key, staleMaxAgeMs) ?? [];
  // To read a long list takes many requests, so its cached names are used for an hour.
  if (staleNames.length > maxRows || cache?.find(noResponseKey, noResponseMs)) return staleNames;
  const { names, isWhole } = await requestNames(search, source, context);
  const isUsable = isWhole || staleNames.length === 0;
  if (isUsable && (isWhole || names.length > 0)) cache?.store(key, names, isWhole ? undefined : noResponseMs);
  if (!isWhole && deadline.aborted) cache?.store(noResponseKey, []);
  return isUsable ? names : staleNames;
}

/** Requests names from the service. After a failure or at the deadline, returns the names on the pages read so far. */
async function requestNames(search: NameSearch, source: NameSource, context: LookupContext) {
  const { list, read, changesOften } = source;
  const rows: Row[] = [];
  const addPage = async (page: readonly unknown[]) => {
    rows.push(...rowsOf(page));
    return true;
  };
  const isPaged = ['page', 'rows'].includes(list.reply.envelope);
  let isWhole = true;
  try {
    const input = await findListInput(search, source, context);
    if (input && isPaged) await context.eachPage(list, input, addPage, { limit: changesOften && maxRows });
    else if (input) rows.push(...rowsOf(await context.call(list, input)));
  } catch {
    isWhole = false;
  }
  return { names: rows.flatMap((row) => read(row, rows)).filter(({ value }) => value !== ''), isWhole };
}

async function findListInput({ args }: NameSearch, { list, below }: NameSource, context: LookupContext) {
  const targetInput: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(list.params)) {
    if (field.target) targetInput[name] = await context.resolveTarget(field, undefined, targetInput);
  }
  if (!below) return targetInput;
  const parentInput = await below.input(args[below.argument] ?? '', String(targetInput['stack_id']), context.call);
  return parentInput && { ...targetInput, ...parentInput };
}

function rowsOf(reply: unknown): readonly Row[] {
  return [reply].flat().filter(isObject);
}

function cacheKey({ nameKind, args }: NameSearch, { list, below }: NameSource, { setting }: LookupContext): string {
  // The key has the targets as they were typed, so it needs no request, and two spellings of a stack have two entries.
  const targets = Object.values<Field>(list.params).flatMap(({ target }) => target ?? []);
  const parent = below ? (args[below.argument] ?? '') : '';
  return [nameKind, ...targets.map((target) => setting(target) ?? ''), parent].join('\n');
}

interface NameSource {
  readonly list: Operation;
  /** Returns the name of a row, or its names. `rows` is the whole list. */
  readonly read: (row: Row, rows: readonly Row[]) => Name | readonly Name[];
  /** True for a list that changes on its own, such as deployments. Its names are cached for a shorter time. */
  readonly changesOften?: true;
  /** For a list below a parent: the argument that names the parent, and a function that returns the request's input. */
  readonly below?: {
    readonly argument: string;
    readonly input: (argument: string, stack_id: string, call: Calls['call']) => Promise<Row | undefined>;
  };
}

const loadServerList = async () => (await import('../resources/server.ts')).servers.list;
const loadDatabaseList = async () => (await import('../resources/database.ts')).databases.list;
const loadDatabaseUserList = async () => (await import('../resources/database.ts')).databaseUsers.list;
const changingOften = { changesOften: true } as const;

/** The source of each kind of names that only the service knows. A source loads its resource module when it is used. */
const nameSources: Readonly<Partial<Record<NameKind, () => Promise<NameSource>>>> = {
  stack: sourceOf(async () => (await import('../resources/stack.ts')).stacks.list, stackNameOf),
  'server group': sourceOf(
    async () => (await import('../resources/stack.ts')).serverGroups.list,
    pick('id', (row) => joinTexts(textIn(row, 'name'), textIn(row, 'type'))),
  ),
  account: sourceOf(async () => (await import('../resources/account.ts')).accounts.list, pick('id', 'friendly_name')),
  'environment variable': sourceOf(async () => (await import('../resources/env.ts')).environments.list, keyNameOf),
  'stack setting': sourceOf(async () => (await import('../resources/setting.ts')).stackSettings.list, keyNameOf),
  'server setting': sourceOf(async () => (await import('../resources/setting.ts')).serverSettings.list, keyNameOf, {
    below: { argument: 'server_id', input: findServerInput },
  }),
  server: sourceOf(loadServerList, serverNameOf),
  'server path': sourceOf(loadServerList, (row) => ({
    value: `${textIn(row, 'name')}:`,
    about: 'a path on this server',
  })),
  entity: sourceOf(loadServerList, (row) => ({ value: `server/${textIn(row, 'uid')}`, about: textIn(row, 'name') })),
  deployment: sourceOf(
    async () => (await import('../resources/deployment.ts')).deployments.list,
    pick(
      'id',
      (row) => joinTexts(textIn(groupIn(row, 'outcome'), 'meaning'), textIn(row, 'git_hash').slice(0, 7)),
      'started_at',
    ),
    changingOften,
  ),
  variant: sourceOf(
    async () => (await import('../resources/variant.ts')).variants.list,
    pick('uid', (row) => joinTexts(textIn(row, 'variant_type'), shareText(row))),
    changingOften,
  ),
  'process name': sourceOf(
    async () => (await import('../resources/process.ts')).processes.list,
    pick('name', (row) => runningText(groupIn(row, 'servers'))),
    changingOften,
  ),
  tag: sourceOf(async () => (await import('../resources/tag.ts')).tags.list, tagNamesOf, {
    below: { argument: 'entity', input: readEntityInput },
  }),
  database: sourceOf(loadDatabaseList, pick('name', 'uid')),
  'database id': sourceOf(loadDatabaseList, pick('uid', 'name')),
  'database user': sourceOf(loadDatabaseUserList, pick('username', 'user_type')),
  'database user id': sourceOf(loadDatabaseUserList, pick('uid', 'username')),
  gateway: sourceOf(async () => (await import('../resources/account.ts')).gateways.list, pick('name', idText)),
  cluster: sourceOf(async () => (await import('../resources/cluster.ts')).clusters.list, pick('name', 'environment')),
  backup: sourceOf(
    async () => (await import('../resources/backup.ts')).backups.list,
    pick('id', (row) => joinTexts(textIn(row, 'db_type'), textIn(row, 'database_name')), 'backup_date_iso'),
  ),
  'backup file': sourceOf(async () => (await import('../resources/backup.ts')).backups.files, pick('id', 'name'), {
    below: { argument: 'backup_id', input: findBackupInput },
  }),
  user: sourceOf(async () => (await import('../resources/user.ts')).users.list, pick('email', idText)),
  action: sourceOf(
    async () => (await import('../resources/action.ts')).actions.list,
    pick('id', 'action', 'started_at'),
    changingOften,
  ),
};

type ListTraits = Omit<NameSource, 'list' | 'read'>;

function sourceOf(list: () => Promise<Operation>, read: NameSource['read'], more: ListTraits = {}) {
  return async (): Promise<NameSource> => ({ list: await list(), read, ...more });
}

function pick(valueField: string, about: string | ((row: Row) => string), timeField?: string): NameSource['read'] {
  return (row) => ({
    value: textIn(row, valueField),
    about: typeof about === 'string' ? textIn(row, about) : about(row),
    ...(timeField && { at: textIn(row, timeField) }),
  });
}

function textIn(row: Row, field: string): string {
  const value = row[field];
  // A value of an unexpected type becomes an empty name, which is left out.
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : '';
}

function groupIn(row: Row, field: string): Row {
  return asObject(row[field]);
}

function joinTexts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function keyNameOf(row: Row): Name {
  return { value: textIn(row, 'key'), about: row['readonly'] === true ? 'read-only' : '' };
}

function idText(row: Row): string {
  return `id ${textIn(row, 'id')}`;
}

function isUniqueName(name: string, rows: readonly Row[]): boolean {
  return rows.filter((other) => textIn(other, 'name') === name).length === 1;
}

function stackNameOf(row: Row, rows: readonly Row[]): Name {
  const [name, environment] = [textIn(row, 'name'), textIn(row, 'environment')];
  // Where stacks share a name, commands accept only `name/environment`.
  return { value: isUniqueName(name, rows) ? name : `${name}/${environment}`, about: environment };
}

function serverNameOf(row: Row, rows: readonly Row[]): Name {
  const name = textIn(row, 'name');
  const roles = Array.isArray(row['server_roles']) ? row['server_roles'].map(String).join(' and ') : '';
  if (isUniqueName(name, rows)) return { value: name, about: roles };
  return { value: textIn(row, 'uid'), about: joinTexts(name, roles) };
}

function shareText(row: Row): string {
  const percentage = textIn(row, 'percentage');
  return percentage === '' ? '' : `${percentage} %`;
}

function runningText(servers: Row): string {
  const counts = Object.values(servers).map(Number);
  return counts.length === 0 ? '' : `${counts.reduce((sum, count) => sum + count, 0)} running`;
}

function tagNamesOf(entry: Row): readonly Name[] {
  const tags: readonly unknown[] = Array.isArray(entry['tags']) ? entry['tags'] : [];
  return tags.filter(isObject).map((tag) => ({ value: textIn(tag, 'value'), about: '' }));
}

async function readEntityInput(entity: string): Promise<Row | undefined> {
  const [, entity_type, entity_id] = /^(server|loadbalancer)\/([^/,]+)/.exec(entity) ?? [];
  return entity_type === undefined ? undefined : { entity_type, entity_id };
}

async function findBackupInput(backup: string, stackId: string, call: Calls['call']): Promise<Row | undefined> {
  if (backup !== 'latest') return { backup_id: backup };
  const { backups, backupsNewestFirst, isGoodBackup } = await import('../resources/backup.ts');
  const newestBackup = backupsNewestFirst(await call(backups.list, { id: stackId })).find(isGoodBackup);
  return newestBackup && { backup_id: newestBackup.id };
}

async function findServerInput(server: string, stack_id: string, call: Calls['call']): Promise<Row | undefined> {
  if (uidPattern.test(server)) return { server_id: server };
  const row = (await call(await loadServerList(), { stack_id })).find(({ name }) => name === server);
  return row && { server_id: row.uid };
}
