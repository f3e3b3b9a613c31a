import type { Field, Fields } from '../../contract/field.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { RecordOf, RecordType, Row } from '../../contract/record.ts';
import { isObject } from '../../contract/values/json.ts';
import { Account } from '../../resources/account.ts';
import { isInProgress } from '../../resources/deployment.ts';
import { sentText } from '../../resources/env.ts';
import { type Catalogue, catalogue } from '../../resources/index.ts';
import { joinProcesses, type ProcessRow } from '../../resources/process.ts';
import type { ServerSetting } from '../../resources/setting.ts';
import { isContainerStack } from '../../resources/stack.ts';
import { variantKind } from '../../resources/variant.ts';
import { randomSecret } from '../seed/made-up.ts';
import type {
  AccountState,
  CopiedState,
  DeploymentRecord,
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
/** A resource with a list. */
type Section = { [Name in keyof Listed]: [Listed[Name]] extends [never] ? never : Name }[keyof Listed];

export interface CopySource {
  /** UIDs of the stacks, and IDs of their accounts. */
  readonly stacks: readonly string[];
  readonly accounts: readonly number[];
  /** The rows that were read, by section and place: `environments 5f3c9a1e…`. */
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  readonly without: readonly MissingSection[];
}

/** `secret`: the output masks it; `generated`: by the service; `open`: any other value; `text`: of another field. */
export type ValueKind = 'secret' | 'generated' | 'open' | 'text';
export type MapValue = (value: string, kind: ValueKind, field: string) => string;

/** The rows of a section in one place, of declared fields only; undefined where the service did not show them. */
type Read = <Name extends Section>(section: Name, place?: string | number) => PlainRows<Name> | undefined;
type PlainRows<Name extends Section> = Plain<
  ReplyOf<Listed[Name]> extends readonly (infer One)[] ? One : ReplyOf<Listed[Name]>
>[];
type Plain<One> = { -readonly [Name in keyof One]: One[Name] };

/** The rows in the form of the sandbox, each text mapped. Throws unavailable for a field that cannot be read. */
export function copiedState(
  { stacks, accounts, rows }: CopySource,
  now: Date,
  map: MapValue = (value) => value,
): CopiedState {
  const read: Read = (section, place) => {
    const { record } = catalogue[section].list.reply;
    return rows.get(`${section} ${place}`)?.map((row) => plainRow(record as RecordType, row, map)) as never;
  };
  const known = read('accounts') ?? [];
  return {
    stacks: stacks.map((uid) => stackState(uid, now.getTime(), read)),
    accounts: accounts.map((id) => {
      // Gateways are read without the account, too.
      const row = known.find((account) => account.id === id) ?? (plainRow(Account, { id }, map) as AccountState['row']);
      return { access: 'member', row, gateways: read('gateways', id) ?? [] };
    }),
  };
}

function stackState(uid: string, nowMs: number, read: Read): StackState {
  const row = read('stacks', uid)?.[0] as StackState['row'];
  const deployments = deploymentStates(read('deployments', uid) ?? [], nowMs);
  const isQuiet = deployments.every(({ phase }) => phase === 'done');
  const servers = read('servers', uid) ?? [];
  return {
    row,
    containers: isContainerStack(row),
    ...(isQuiet && row.status !== undefined && { copiedStatus: row.status }),
    variables: (read('environments', uid) ?? []).map((one) => ({ ...one, history: one.history ?? [] })),
    deployments,
    variants: (read('variants', uid) ?? []).map((variant) => {
      const { sub_type: _, ...own } = variant;
      return { ...own, variant_type: variantKind(variant) ?? null };
    }),
    groups: (read('serverGroups', uid) ?? []).map((group) => groupState(group, read)),
    servers: servers.map((server) => {
      return { row: server, settings: (read('serverSettings', server.uid) ?? []).map(settingState) };
    }),
    settings: (read('stackSettings', uid) ?? []).map(settingState),
    processes: processStates(read('processes', uid) ?? [], servers),
    backups: (read('backups', uid) ?? []).toReversed().map((backup) => {
      return { row: backup, group: null, parts: backup.backup_status === 0 ? 1 : 0 };
    }),
    loadbalancers: [],
    tags: servers.flatMap((server) => read('tags', server.uid) ?? []),
    actions: [],
    freeMs: 0,
  };
}

function deploymentStates(deployments: readonly DeploymentRecord[], nowMs: number): DeploymentState[] {
  const oldestFirst = deployments.toSorted((one, other) => Number(one.id) - Number(other.id));
  return oldestFirst.map((row) => {
    // A deployment in progress at the service ends like one that was started in the sandbox.
    const phase = isInProgress(row) ? 'deploying' : 'done';
    return { row, phase, queuedMs: nowMs, startedMs: nowMs, fails: false };
  });
}

function settingState(setting: RecordOf<typeof ServerSetting>): SettingState {
  const { value, readonly = false, warning_text = '', ...facts } = setting;
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

function processStates(processes: readonly ProcessRow[], servers: readonly ServerState['row'][]): ProcessState[] {
  const uids = new Map(servers.map(({ name, uid }) => [name, uid]));
  return joinProcesses(processes).map(({ servers: counts, ...facts }) => {
    const pairs = Object.entries(counts).map(([name, count]) => [uids.get(name) ?? name, count]);
    return { ...facts, counts: Object.fromEntries(pairs) };
  });
}

function groupState(row: ServerGroupState['row'], read: Read): ServerGroupState {
  const databases = read('databases', row.id);
  const own = databases ?? [];
  return {
    row,
    hasDatabases: databases !== undefined,
    databases: own.map(({ users: _, ...database }) => database),
    users: (read('databaseUsers', row.id) ?? []).map(({ databases: names, ...facts }) => {
      const databaseUids = own.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
      return { ...facts, password: randomSecret(), databaseUids };
    }),
  };
}

function plainRow({ fields, isSecret = () => true }: RecordType, row: Row, map: MapValue): Row {
  const kindOf = (name: string, value: unknown): ValueKind => {
    // An earlier value may be a secret on its own.
    if (isSecret(row) || isSecret({ ...row, [name]: value })) return 'secret';
    return row['is_generated'] === true ? 'generated' : 'open';
  };
  const mapped = (name: string, { secret }: Field, value: unknown): unknown => {
    if (typeof value === 'boolean' || (typeof value === 'number' && !secret)) return value;
    const text = map(sentText(value), secret ? kindOf(name, value) : 'text', name);
    return typeof value === 'number' ? Number(text) : text;
  };
  // A field that is not declared could hold a secret.
  return plainGroup(fields, row, mapped);
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
