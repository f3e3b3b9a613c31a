import type { Field, Fields } from '../../contract/field.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { RecordOf, RecordType, Row } from '../../contract/record.ts';
import { isObject } from '../../contract/values/json.ts';
import { Account, Gateway } from '../../resources/account.ts';
import { Backup } from '../../resources/backup.ts';
import { Database, DatabaseUser } from '../../resources/database.ts';
import { Deployment, isInProgress } from '../../resources/deployment.ts';
import { EnvironmentVariable, sentText } from '../../resources/env.ts';
import type { Catalogue } from '../../resources/index.ts';
import { joinProcesses, Process } from '../../resources/process.ts';
import { Server } from '../../resources/server.ts';
import { ServerSetting } from '../../resources/setting.ts';
import { isContainerStack, ServerGroup, Stack, type StackRow } from '../../resources/stack.ts';
import { TagEntry } from '../../resources/tag.ts';
import { Variant, variantKind } from '../../resources/variant.ts';
import { randomSecret } from '../seed/made-up.ts';
import type {
  AccountState,
  CopiedState,
  DeploymentState,
  MissingSection,
  ProcessState,
  ServerGroupState,
  ServerState,
  SettingState,
  SettingValue,
  StackState,
} from '../state.ts';

type Listed = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends { readonly list: infer List } ? List : never;
};
/** The reply of a list; undefined where the service did not show it. */
export type RowsOf<Name extends keyof Catalogue> = ReplyOf<Listed[Name]> | undefined;

/** The rows of a stack, as they were read. */
export interface SourceStack {
  readonly row: StackRow;
  readonly variables: RowsOf<'environments'>;
  readonly settings: RowsOf<'stackSettings'>;
  readonly processes: RowsOf<'processes'>;
  readonly variants: RowsOf<'variants'>;
  readonly deployments: RowsOf<'deployments'>;
  readonly backups: RowsOf<'backups'>;
  readonly servers: readonly {
    readonly row: RecordOf<typeof Server>;
    readonly settings: RowsOf<'serverSettings'>;
    readonly tags: RowsOf<'tags'>;
  }[];
  readonly groups: readonly {
    readonly row: RecordOf<typeof ServerGroup>;
    readonly databases: RowsOf<'databases'>;
    readonly users: RowsOf<'databaseUsers'>;
  }[];
}

export interface CopySource {
  readonly stacks: readonly SourceStack[];
  readonly accounts: RowsOf<'accounts'>;
  readonly gateways: ReadonlyMap<number, RowsOf<'gateways'>>;
  readonly without: readonly MissingSection[];
}

/**
 * `secret`: a value that the output masks; `generated` by the service; `open`: a value beside them that is neither; `text`
 * of any other field.
 */
export type ValueKind = 'secret' | 'generated' | 'open' | 'text';
export type MapValue = (value: string, kind: ValueKind, field: string) => string;

/** The rows in the form of the sandbox, each text mapped. Throws unavailable for a field that cannot be read. */
export function copiedState(
  { stacks, accounts = [], gateways }: CopySource,
  now: Date,
  map: MapValue = (value) => value,
): CopiedState {
  const plain = plainRows(map);
  return {
    stacks: stacks.map((stack) => stackState(stack, now.getTime(), plain)),
    accounts: [...gateways].map(([id, rows = []]): AccountState => {
      // Gateways are read without the account, too.
      const row = plain(Account, accounts.find((account) => account.id === id) ?? { id });
      return { access: 'member', row, gateways: rows.map((gateway) => plain(Gateway, gateway)) };
    }),
  };
}

function stackState(source: SourceStack, nowMs: number, plain: PlainRow): StackState {
  const { variables = [], settings = [], variants = [], backups = [] } = source;
  const row = plain(Stack, source.row);
  const deployments = deploymentStates(source, nowMs, plain);
  const isQuiet = deployments.every(({ phase }) => phase === 'done');
  return {
    row,
    containers: isContainerStack(row),
    ...(isQuiet && row.status !== undefined && { copiedStatus: row.status }),
    variables: variables.map((variable) => {
      const own = plain(EnvironmentVariable, variable);
      return { ...own, history: own.history ?? [] };
    }),
    deployments,
    variants: variants.map((variant) => {
      const { sub_type: _, ...own } = plain(Variant, variant);
      return { ...own, variant_type: variantKind(variant) ?? null };
    }),
    groups: source.groups.map((group) => groupState(group, plain)),
    servers: source.servers.map((server) => serverState(server, plain)),
    settings: settings.map((setting) => settingState(setting, plain)),
    processes: processStates(source, plain),
    backups: backups
      .map((backup) => plain(Backup, backup))
      .toReversed()
      .map((backup) => {
        return { row: backup, group: null, parts: backup.backup_status === 0 ? 1 : 0 };
      }),
    loadbalancers: [],
    tags: source.servers.flatMap(({ tags }) => (tags ? [plain(TagEntry, tags)] : [])),
    actions: [],
    freeMs: 0,
  };
}

function deploymentStates({ deployments = [] }: SourceStack, nowMs: number, plain: PlainRow): DeploymentState[] {
  const oldestFirst = deployments.toSorted((one, other) => Number(one.id) - Number(other.id));
  return oldestFirst.map((deployment) => {
    // A deployment in progress at the service ends like one that was started in the sandbox.
    const phase = isInProgress(deployment) ? 'deploying' : 'done';
    return { row: plain(Deployment, deployment), phase, queuedMs: nowMs, startedMs: nowMs, fails: false };
  });
}

function serverState({ row, settings = [] }: SourceStack['servers'][number], plain: PlainRow): ServerState {
  return { row: plain(Server, row), settings: settings.map((setting) => settingState(setting, plain)) };
}

function settingState(setting: RecordOf<typeof ServerSetting>, plain: PlainRow): SettingState {
  const { value, readonly = false, warning_text = '', ...facts } = plain(ServerSetting, setting);
  const isFlag = typeof value === 'boolean' || /^(true|false)$/.test(String(value));
  const number = Number.isInteger(value) ? 'integer' : 'text';
  const own = (isFlag ? String(value) === 'true' : (value ?? null)) as SettingValue;
  return {
    created_at: '',
    updated_at: '',
    ...facts,
    value: own,
    takes: isFlag ? 'flag' : number,
    readonly,
    warning_text,
  };
}

function processStates({ processes = [], servers }: SourceStack, plain: PlainRow): ProcessState[] {
  const uids = new Map(servers.map(({ row }) => [row.name, row.uid]));
  return joinProcesses(processes).map((row) => {
    const { servers: counts, ...facts } = plain(Process, row);
    const pairs = Object.entries(counts).map(([name, count]) => [uids.get(name) ?? name, count]);
    return { ...facts, counts: Object.fromEntries(pairs) };
  });
}

function groupState({ row, databases, users = [] }: SourceStack['groups'][number], plain: PlainRow): ServerGroupState {
  const own = (databases ?? []).map((database) => plain(Database, database));
  return {
    row: plain(ServerGroup, row),
    hasDatabases: databases !== undefined,
    databases: own.map(({ users: _, ...database }) => database),
    users: users.map((user) => {
      const { databases: names, ...facts } = plain(DatabaseUser, user);
      const databaseUids = own.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
      return { ...facts, password: randomSecret(), databaseUids };
    }),
  };
}

type Plain<R> = { -readonly [Name in keyof RecordOf<R>]: RecordOf<R>[Name] };
type PlainRow = <R extends RecordType>(record: R, row: object) => Plain<R>;

function plainRows(map: MapValue): PlainRow {
  return <R extends RecordType>({ fields, isSecret = () => true }: R, row: object) => {
    const kindOf = (name: string, value: unknown): ValueKind => {
      // An earlier value may be a secret on its own.
      if (isSecret(row as Row) || isSecret({ ...row, [name]: value })) return 'secret';
      return (row as Row)['is_generated'] === true ? 'generated' : 'open';
    };
    const mapped = (name: string, { secret }: Field, value: unknown): unknown => {
      if (typeof value === 'boolean' || (typeof value === 'number' && !secret)) return value;
      const text = map(sentText(value), secret ? kindOf(name, value) : 'text', name);
      return typeof value === 'number' ? Number(text) : text;
    };
    // A field that is not declared could hold a secret.
    return plainGroup(fields, row as Row, mapped) as Plain<R>;
  };
}

type MapField = (name: string, field: Field, value: unknown) => unknown;

function plainGroup(fields: Fields, row: Row, mapped: MapField): Row {
  const pairs = Object.entries(fields).map(
    ([name, field]) => [name, plainValue(name, field, row[name], mapped)] as const,
  );
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function plainValue(name: string, field: Field, value: unknown, mapped: MapField): unknown {
  const { kind, of, nullable, presence } = field;
  // JSON has no number beyond 2^53.
  if (typeof value === 'bigint') return String(value);
  if (value === undefined && presence === 'optional') return undefined;
  if (value === null && nullable) return null;
  // Handlers rely on lists and groups; any other value may be absent.
  switch (kind) {
    case 'many':
      return Array.isArray(value) ? value.map((item) => plainValue(name, of as Field, item, mapped)) : [];
    case 'map':
      return { ...(value as object) };
    case 'group':
      return plainGroup(of as Fields, isObject(value) ? value : {}, mapped);
    default:
      return value == null ? value : mapped(name, field, value);
  }
}
