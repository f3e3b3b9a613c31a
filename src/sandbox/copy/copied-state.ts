import type { Field, Fields } from '../../contract/field.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { RecordOf, RecordType, Row } from '../../contract/record.ts';
import { asObject } from '../../contract/values/json.ts';
import { Account } from '../../resources/account.ts';
import { isInProgress } from '../../resources/deployment.ts';
import { valueAsText } from '../../resources/env.ts';
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
  Writable,
} from '../state.ts';

type ListOperations = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends { readonly list: infer List } ? List : never;
};
/** The rows of a list; undefined if the service did not show the list. */
export type RowsOf<Name extends keyof Catalogue> = ReplyOf<ListOperations[Name]> | undefined;
/** Name of a resource type that has a list. */
type SectionName = {
  [Name in keyof ListOperations]: [ListOperations[Name]] extends [never] ? never : Name;
}[keyof ListOperations];

export interface CopySource {
  /** UIDs of the stacks. */
  readonly stacks: readonly string[];
  readonly accounts: readonly number[];
  /** The rows that were read, by section and ID of the stack, server, group or account: `environments 5f3c…`. */
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  readonly without: readonly MissingSection[];
}

/** `text` if a value's field is not secret. Else `secret` if it is masked, `generated` by the service, or `open`. */
type ValueKind = 'secret' | 'generated' | 'open' | 'text';
export type ValueMapper = (value: string, kind: ValueKind, field: string) => string;

/** Returns the rows of a section for one ID, with declared fields only; none if the service did not show them. */
type RowReader = <Name extends SectionName>(section: Name, ownerId?: string | number) => CopiedRows<Name>;
type CopiedRows<Name extends SectionName> = Writable<
  ReplyOf<ListOperations[Name]> extends readonly (infer One)[] ? One : ReplyOf<ListOperations[Name]>
>[];

/** Turns rows into state, and replaces texts and secrets with `map`. Throws `unavailable` for an unreadable value. */
export function createCopiedState(source: CopySource, now: Date, map: ValueMapper = (value) => value): CopiedState {
  const { stacks, accounts, rows } = source;
  const readRows: RowReader = (section, ownerId) => {
    const { record } = catalogue[section].list.reply;
    return (rows.get(`${section} ${ownerId}`) ?? []).map((row) => copyRow(record as RecordType, row, map)) as never;
  };
  const hasDatabases = (groupId: number) => rows.has(`databases ${groupId}`);
  const accountRows = readRows('accounts');
  return {
    stacks: stacks.map((uid) => stackState(uid, now.getTime(), { readRows, hasDatabases })),
    accounts: accounts.map((id) => {
      // The row of an account may be missing although its gateways are known: the list of accounts needs another scope.
      const row = accountRows.find((account) => account.id === id) ?? copyRow(Account, { id }, map);
      return { access: 'member', row: row as AccountState['row'], gateways: readRows('gateways', id) };
    }),
  };
}

type Source = { readonly readRows: RowReader; readonly hasDatabases: (groupId: number) => boolean };

function stackState(uid: string, nowMs: number, { readRows, hasDatabases }: Source): StackState {
  const row = readRows('stacks', uid)[0] as StackState['row'];
  const deployments = deploymentStates(readRows('deployments', uid), nowMs);
  const isIdle = deployments.every(({ phase }) => phase === 'done');
  const servers = readRows('servers', uid);
  return {
    row,
    containers: isContainerStack(row),
    ...(isIdle && row.status !== undefined && { copiedStatus: row.status }),
    variables: readRows('environments', uid).map((variable) => ({ ...variable, history: variable.history ?? [] })),
    deployments,
    variants: readRows('variants', uid).map((variant) => {
      const { sub_type: _, ...fields } = variant;
      return { ...fields, variant_type: variantKind(variant) ?? null };
    }),
    groups: readRows('serverGroups', uid).map((group) => {
      return { ...groupState(group, readRows), hasDatabases: hasDatabases(group.id) };
    }),
    servers: servers.map((server) => {
      return { row: server, settings: readRows('serverSettings', server.uid).map(settingState) };
    }),
    settings: readRows('stackSettings', uid).map(settingState),
    processes: processStates(readRows('processes', uid), servers),
    backups: readRows('backups', uid)
      .map((backup) => ({ row: backup, group: null, parts: backup.backup_status === 0 ? 1 : 0 }))
      .toReversed(),
    loadbalancers: [],
    tags: servers.flatMap(({ uid: serverUid }) => readRows('tags', serverUid)),
    actions: [],
    freeMs: 0,
  };
}

function deploymentStates(deployments: readonly DeploymentRecord[], nowMs: number): DeploymentState[] {
  const oldestFirst = deployments.toSorted((one, other) => Number(one.id) - Number(other.id));
  return oldestFirst.map((row) => {
    // A deployment in progress at the service ends like one that starts in the sandbox now.
    const phase = isInProgress(row) ? 'deploying' : 'done';
    return { row, phase, queuedMs: nowMs, startedMs: nowMs, fails: false };
  });
}

function settingState(setting: RecordOf<typeof ServerSetting>): SettingState {
  const { value, readonly = false, warning_text = '', ...facts } = setting;
  const times = { created_at: '', updated_at: '' };
  if (/^(true|false)$/.test(String(value)))
    return { ...times, ...facts, value: String(value) === 'true', takes: 'flag', readonly, warning_text };
  const takes = Number.isInteger(value) ? 'integer' : 'text';
  return { ...times, ...facts, value: (value ?? null) as SettingValue, takes, readonly, warning_text };
}

function processStates(processes: readonly ProcessRow[], servers: readonly ServerState['row'][]): ProcessState[] {
  const uidByName = new Map(servers.map(({ name, uid }) => [name, uid]));
  return joinProcesses(processes).map(({ servers: countsByName, ...facts }) => {
    const counts = Object.entries(countsByName).map(([name, count]) => [uidByName.get(name) ?? name, count]);
    return { ...facts, counts: Object.fromEntries(counts) };
  });
}

function groupState(row: ServerGroupState['row'], readRows: RowReader): ServerGroupState {
  const databases = readRows('databases', row.id).map(({ users: _, ...database }) => database);
  const users = readRows('databaseUsers', row.id).map(({ databases: names, ...facts }) => {
    const databaseUids = databases.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
    return { ...facts, password: randomSecret(), databaseUids };
  });
  return { row, databases, users };
}

function copyRow({ fields, isSecret = () => true }: RecordType, row: Row, map: ValueMapper): Row {
  const secretKindOf = (name: string, value: unknown): ValueKind => {
    // `value` may be an earlier value from the history. It may be secret even if the current value is not.
    if (isSecret(row) || isSecret({ ...row, [name]: value })) return 'secret';
    return row['is_generated'] === true ? 'generated' : 'open';
  };
  const mapField = (name: string, { secret }: Field, value: unknown): unknown => {
    if (typeof value === 'boolean' || (typeof value === 'number' && !secret)) return value;
    const text = map(valueAsText(value), secret ? secretKindOf(name, value) : 'text', name);
    return typeof value === 'number' ? Number(text) : text;
  };
  // Only declared fields are copied, because another field could hold a secret.
  return copyGroup(fields, row, mapField);
}

type FieldMapper = (name: string, field: Field, value: unknown) => unknown;

function copyGroup(fields: Fields, row: Row, mapField: FieldMapper): Row {
  const copyField = ([name, field]: [string, Field]) => [name, copyValue(name, field, row[name], mapField)] as const;
  const pairs = Object.entries(fields).map(copyField);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function copyValue(name: string, field: Field, value: unknown, mapField: FieldMapper): unknown {
  const { kind, of, nullable, presence } = field;
  // JSON has no bigint, so a number beyond 2^53 becomes text.
  if (typeof value === 'bigint') return String(value);
  if (value === undefined && presence === 'optional') return undefined;
  if (value === null && nullable) return null;
  // Handlers rely on lists, maps and groups, so a missing one becomes empty. Any other value may be missing.
  switch (kind) {
    case 'many':
      return Array.isArray(value) ? value.map((item) => copyValue(name, of as Field, item, mapField)) : [];
    case 'map':
      return { ...(value as object) };
    case 'group':
      return copyGroup(of as Fields, asObject(value), mapField);
    default:
      return value == null ? value : mapField(name, field, value);
  }
}
