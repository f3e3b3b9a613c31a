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

/** The rows in the form of the sandbox, with their secrets. Throws unavailable for a field that cannot be read. */
export function copiedState({ stacks, accounts = [], gateways }: CopySource, now: Date): CopiedState {
  return {
    stacks: stacks.map((stack) => stackState(stack, now.getTime())),
    accounts: [...gateways].map(([id, rows = []]): AccountState => {
      // Gateways are read without the account, too.
      const row = plainRow(Account, accounts.find((account) => account.id === id) ?? { id });
      return { access: 'member', row, gateways: rows.map((gateway) => plainRow(Gateway, gateway)) };
    }),
  };
}

function stackState(source: SourceStack, nowMs: number): StackState {
  const { variables = [], settings = [], variants = [], backups = [] } = source;
  const row = plainRow(Stack, source.row);
  const deployments = deploymentStates(source, nowMs);
  const isQuiet = deployments.every(({ phase }) => phase === 'done');
  return {
    row,
    containers: isContainerStack(row),
    ...(isQuiet && row.status !== undefined && { copiedStatus: row.status }),
    variables: variables.map((variable) => {
      const plain = plainRow(EnvironmentVariable, variable);
      return { ...plain, history: plain.history ?? [] };
    }),
    deployments,
    variants: variants.map((variant) => {
      const { sub_type: _, ...plain } = plainRow(Variant, variant);
      return { ...plain, variant_type: variantKind(variant) ?? null };
    }),
    groups: source.groups.map(groupState),
    servers: source.servers.map(serverState),
    settings: settings.map(settingState),
    processes: processStates(source),
    backups: backups
      .map((backup) => plainRow(Backup, backup))
      .toReversed()
      .map((backup) => {
        return { row: backup, group: null, parts: backup.backup_status === 0 ? 1 : 0 };
      }),
    loadbalancers: [],
    tags: source.servers.flatMap(({ tags }) => (tags ? [plainRow(TagEntry, tags)] : [])),
    actions: [],
    freeMs: 0,
  };
}

function deploymentStates({ deployments = [] }: SourceStack, nowMs: number): DeploymentState[] {
  const oldestFirst = deployments.toSorted((one, other) => Number(one.id) - Number(other.id));
  return oldestFirst.map((deployment) => {
    // A deployment in progress at the service ends like one that was started in the sandbox.
    const phase = isInProgress(deployment) ? 'deploying' : 'done';
    return { row: plainRow(Deployment, deployment), phase, queuedMs: nowMs, startedMs: nowMs, fails: false };
  });
}

function serverState({ row, settings = [] }: SourceStack['servers'][number]): ServerState {
  return { row: plainRow(Server, row), settings: settings.map(settingState) };
}

function settingState(setting: RecordOf<typeof ServerSetting>): SettingState {
  const { value, readonly = false, warning_text = '', ...plain } = plainRow(ServerSetting, setting);
  const isFlag = typeof value === 'boolean' || /^(true|false)$/.test(String(value));
  const number = Number.isInteger(value) ? 'integer' : 'text';
  const text = isObject(value) || Array.isArray(value) ? sentText(value) : (value ?? null);
  const own = (isFlag ? String(value) === 'true' : text) as SettingValue;
  return {
    created_at: '',
    updated_at: '',
    ...plain,
    value: own,
    takes: isFlag ? 'flag' : number,
    readonly,
    warning_text,
  };
}

function processStates({ processes = [], servers }: SourceStack): ProcessState[] {
  const uids = new Map(servers.map(({ row }) => [row.name, row.uid]));
  return joinProcesses(processes).map((row) => {
    const { servers: counts, ...plain } = plainRow(Process, row);
    const pairs = Object.entries(counts).map(([name, count]) => [uids.get(name) ?? name, count]);
    return { ...plain, counts: Object.fromEntries(pairs) };
  });
}

function groupState({ row, databases, users = [] }: SourceStack['groups'][number]): ServerGroupState {
  const own = (databases ?? []).map((database) => plainRow(Database, database));
  return {
    row: plainRow(ServerGroup, row),
    hasDatabases: databases !== undefined,
    databases: own.map(({ users: _, ...database }) => database),
    users: users.map((user) => {
      const { databases: names, ...plain } = plainRow(DatabaseUser, user);
      const databaseUids = own.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
      return { ...plain, password: randomSecret(), databaseUids };
    }),
  };
}

type Plain<R> = { -readonly [Name in keyof RecordOf<R>]: RecordOf<R>[Name] };

function plainRow<R extends RecordType>({ fields }: R, row: object): Plain<R> {
  // A field that is not declared could hold a secret.
  return plainGroup(fields, row as Row) as Plain<R>;
}

function plainGroup(fields: Fields, row: Row): Row {
  const pairs = Object.entries(fields).map(([name, field]) => [name, plainValue(field, row[name])] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function plainValue({ kind, of, nullable, presence }: Field, value: unknown): unknown {
  // JSON has no number beyond 2^53.
  if (typeof value === 'bigint') return String(value);
  if (value === undefined && presence === 'optional') return undefined;
  if (value === null && nullable) return null;
  // Handlers rely on lists and groups; any other value may be absent.
  switch (kind) {
    case 'many':
      return Array.isArray(value) ? value.map((item) => plainValue(of as Field, item)) : [];
    case 'map':
      return { ...(value as object) };
    case 'group':
      return plainGroup(of as Fields, isObject(value) ? value : {});
    default:
      return value;
  }
}
