import type { RecordOf } from '../contract/record.ts';
import type { Account, Gateway } from '../resources/account.ts';
import type { StackAction } from '../resources/action.ts';
import type { Backup } from '../resources/backup.ts';
import type { Cluster } from '../resources/cluster.ts';
import type { Database, DatabaseUser } from '../resources/database.ts';
import type { Deployment } from '../resources/deployment.ts';
import type { EnvironmentVariable } from '../resources/env.ts';
import type { Process } from '../resources/process.ts';
import type { Server } from '../resources/server.ts';
import type { ServerGroup, Stack } from '../resources/stack.ts';
import type { TagEntry } from '../resources/tag.ts';
import type { Device, User } from '../resources/user.ts';
import type { Variant } from '../resources/variant.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Increment it when older files no longer work; they are then refused. */
export const stateFormat = 4;

export type ActionRecord = Writable<RecordOf<typeof StackAction>>;
export type DeploymentRecord = Writable<RecordOf<typeof Deployment>>;
export type DeviceRecord = Writable<RecordOf<typeof Device>>;
export type GatewayRecord = Writable<RecordOf<typeof Gateway>>;
export type VariableRecord = Writable<RecordOf<typeof EnvironmentVariable>>;
export type VariantRecord = Writable<RecordOf<typeof Variant>>;
export type TagRecord = Writable<RecordOf<typeof TagEntry>>;

/** The whole state of the sandbox as plain JSON data. */
export interface State {
  readonly format: typeof stateFormat;
  accounts: AccountState[];
  stacks: StackState[];
  clusters: ClusterState[];
  users: UserState[];
  oauth: {
    /** Open consent pages. */
    requests: ConsentRequest[];
    codes: IssuedCode[];
    tokens: { readonly token: string; readonly scopes: readonly string[] }[];
  };
  /** Since the reset or the copy, oldest first. */
  writes: AcceptedWrite[];
  /** Only in a copy of real stacks. */
  copy?: CopyOrigin;
  /** Only in a scenario: an autoscaler that changes `shop` repeatedly. */
  autoscaler?: { readonly beganMs: number; changes: number };
  /** The next number of each kind; `serial` seeds every made-up UID, hash and password. */
  next: {
    action: number;
    backup: number;
    backupGroup: number;
    deployment: number;
    gateway: number;
    variable: number;
    serial: number;
  };
}

/** A request that changed something; the body holds the parameters of the query, too. */
export interface AcceptedWrite {
  /** Such as `variants.update`. */
  readonly id: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The part of the state that a copy takes from the service. */
export type CopiedState = Pick<State, 'accounts' | 'stacks'>;

export interface CopyOrigin {
  readonly source: string;
  readonly at: string;
  readonly without: readonly MissingSection[];
  /** Values that stand in the first state in place of real ones. */
  readonly madeUp: readonly string[];
  /** JSON text of its `CopiedState`, which only `sandbox verify` reads. */
  readonly first: string;
}

/** A section that the service did not show. */
export interface MissingSection {
  /** The resource in the catalogue: `stackSettings`. */
  readonly section: string;
  /** The section in words: `settings`. */
  readonly label: string;
  /** UID or ID of the stack, server, group or account; absent for the accounts. */
  readonly place?: string;
  readonly why: string;
}

/** The list shows accounts with `member` only; the others are for 400 and 403. */
export interface AccountState {
  readonly access: 'member' | 'restricted' | 'foreign';
  readonly row: Writable<RecordOf<typeof Account>>;
  gateways: GatewayRecord[];
}

/** Rights by name, including undocumented ones. */
export interface UserState {
  readonly row: Writable<Omit<RecordOf<typeof User>, 'access_profile' | 'devices'>>;
  rights: Readonly<Record<string, unknown>>;
  roles: readonly { readonly stack_uid: string; readonly role: string }[];
  devices: DeviceRecord[];
}

export interface ClusterState {
  readonly row: Writable<RecordOf<typeof Cluster>>;
  readonly log: string;
  /** The UID of the cluster is used like that of a stack to read them. */
  actions: ActionState[];
}

export interface StackState {
  row: Writable<RecordOf<typeof Stack>>;
  /** Container stacks are deployed with `services`, the others with `git_ref`. */
  readonly containers: boolean;
  /** In a copy the status at the service, until the first deployment. */
  copiedStatus?: number | undefined;
  variables: VariableRecord[];
  /** In the order of their IDs, like the actions. */
  deployments: DeploymentState[];
  variants: VariantRecord[];
  groups: ServerGroupState[];
  servers: readonly ServerState[];
  readonly settings: readonly SettingState[];
  readonly processes: readonly ProcessState[];
  backups: BackupState[];
  readonly loadbalancers: readonly { readonly id: string; readonly name: string }[];
  tags: TagRecord[];
  actions: ActionState[];
  /** End of the last deployment: the next queued one starts no earlier. */
  freeMs: number;
}

export interface ServerState {
  readonly row: Writable<RecordOf<typeof Server>>;
  readonly settings: readonly SettingState[];
}

export type SettingValue = string | number | boolean | null;

export interface SettingState {
  /** As the service sent it, in a copy: also text, or absent. */
  readonly id?: unknown;
  readonly key: string;
  value: SettingValue;
  /** The type of the value, which is always sent as a string. */
  readonly takes: 'text' | 'integer' | 'flag';
  readonly readonly: boolean;
  readonly warning_text: string;
  readonly created_at: string;
  updated_at: string;
}

export interface ProcessState extends Omit<RecordOf<typeof Process>, 'servers'> {
  /** Keyed by server UID, because a server can be renamed. */
  counts: Readonly<Record<string, number>>;
}

export interface BackupState {
  readonly row: Writable<RecordOf<typeof Backup>>;
  /** Null in a copy: no record of the service names it. */
  readonly group: number | null;
  readonly parts: number;
}

export interface DeploymentState {
  row: DeploymentRecord;
  phase: 'queued' | 'deploying' | 'done';
  queuedMs: number;
  startedMs: number;
  /** The action of the deployment; absent in the seed. */
  readonly action?: ActionRecord['id'];
  readonly fails: boolean;
  readonly isSlow?: true;
  /** The variant that it creates beside the live version when it succeeds. */
  readonly rollout?: RolloutSettings;
}

export type RolloutSettings = Pick<VariantRecord, 'variant_type' | 'percentage'>;

export interface ServerGroupState {
  readonly row: RecordOf<typeof ServerGroup>;
  /** In a copy: the service listed its databases. Otherwise its type decides. */
  readonly hasDatabases?: boolean;
  databases: DatabaseState[];
  users: DatabaseUserState[];
}

/** Access to databases is stored with the user. */
export type DatabaseState = Omit<RecordOf<typeof Database>, 'users'>;
export interface DatabaseUserState extends Omit<RecordOf<typeof DatabaseUser>, 'databases' | 'password'> {
  password: string;
  databaseUids: string[];
}

export interface ActionState {
  row: ActionRecord;
  phase: 'queued' | 'started' | 'finished';
  readonly queuedMs: number;
  /** Absent if a deployment drives the action. */
  readonly effect?: Effect;
  /** The action will fail without effect. */
  readonly fails?: boolean;
}

/** An operation that an action carries out when it ends. */
export interface Effect {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The operation queues no action itself, so it runs as a whole when this one ends. */
  readonly isWhole?: true;
}

/** The request of a sign-in. */
interface Grant {
  readonly redirect: string;
  readonly scopes: readonly string[];
  readonly challenge: string | undefined;
  readonly expiresMs: number;
}

export interface ConsentRequest extends Grant {
  readonly id: string;
  readonly state: string | undefined;
}

export type IssuedCode = Grant & { readonly code: string };

/** Scenarios that `sandbox reset` and `start` accept. */
export const scenarioNames = ['incident'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
