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

export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Version of the stored state. Increment it if older files no longer work, so that they are refused. */
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
    /** Sign-ins whose consent page waits for the user's decision. */
    requests: ConsentRequest[];
    codes: IssuedCode[];
    tokens: { readonly token: string; readonly scopes: readonly string[] }[];
  };
  /** Writes since the last reset or copy, oldest first. */
  writes: AcceptedWrite[];
  /** Set only in a copy of real stacks. */
  copy?: CopyOrigin;
  /** An autoscaler that changes `shop` repeatedly; set only in a scenario. */
  autoscaler?: { readonly beganMs: number; changes: number };
  /** The next ID of each kind. `serial` counts the made-up UIDs and passwords, which depend on it. */
  next: Record<'action' | 'backup' | 'backupGroup' | 'deployment' | 'gateway' | 'variable' | 'serial', number>;
}

/** An accepted write. `body` also holds the parameters of the query. */
export interface AcceptedWrite {
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
  /** Made-up values that stand in the copy in place of real ones. */
  readonly madeUp: readonly string[];
  /** JSON text of the copied state before any change. Only `sandbox verify` reads it. */
  readonly first: string;
}

/** A section (the list of one resource type) that a copy lacks, because the service did not show it. */
export interface MissingSection {
  /** Key of the resource type in `catalogue`: `stackSettings`. */
  readonly section: string;
  /** The section in words: `settings`. */
  readonly label: string;
  /** UID or ID of the stack, server, group or account that owns the list; undefined for the list of accounts. */
  readonly place?: string;
  readonly why: string;
}

/** An account. A list shows only `member`. A request for a `restricted` account gets 400, for a `foreign` one 403. */
export interface AccountState {
  readonly access: 'member' | 'restricted' | 'foreign';
  readonly row: Writable<RecordOf<typeof Account>>;
  gateways: GatewayRecord[];
}

export interface UserState {
  readonly row: Writable<Omit<RecordOf<typeof User>, 'access_profile' | 'devices'>>;
  /** Rights by name, including undocumented ones. */
  rights: Readonly<Record<string, unknown>>;
  roles: readonly { readonly stack_uid: string; readonly role: string }[];
  devices: DeviceRecord[];
}

export interface ClusterState {
  readonly row: Writable<RecordOf<typeof Cluster>>;
  readonly log: string;
  /** Actions of the cluster. Requests name the UID of the cluster in place of the UID of a stack. */
  actions: ActionState[];
}

export interface StackState {
  row: Writable<RecordOf<typeof Stack>>;
  /** True if a deployment takes `services`; false if it takes `git_ref`. */
  readonly containers: boolean;
  /** Status at the service; set in a copy until the first deployment in the sandbox. */
  copiedStatus?: number | undefined;
  variables: VariableRecord[];
  /** Ordered by ascending ID, like `actions`. */
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
  /** Time when the last deployment ended. A queued deployment starts no earlier. */
  freeMs: number;
}

export interface ServerState {
  readonly row: Writable<RecordOf<typeof Server>>;
  readonly settings: readonly SettingState[];
}

export type SettingValue = string | number | boolean | null;

export interface SettingState {
  /** ID of the setting: a number. In a copy it is the value that the service sent, which may be text or undefined. */
  readonly id?: unknown;
  readonly key: string;
  value: SettingValue;
  /** Type of the value. A request sends every value as a string. */
  readonly takes: 'text' | 'integer' | 'flag';
  readonly readonly: boolean;
  readonly warning_text: string;
  readonly created_at: string;
  updated_at: string;
}

export interface ProcessState extends Omit<RecordOf<typeof Process>, 'servers'> {
  /** Number of instances by server UID, because the name of a server can change. */
  counts: Readonly<Record<string, number>>;
}

export interface BackupState {
  readonly row: Writable<RecordOf<typeof Backup>>;
  /** Backup group; null in a copy, because the service sends backups without their group. */
  readonly group: number | null;
  /** Number of files. */
  readonly parts: number;
}

export interface DeploymentState {
  row: DeploymentRecord;
  phase: 'queued' | 'deploying' | 'done';
  queuedMs: number;
  startedMs: number;
  /** ID of the action that ends with the deployment; undefined if there is none. */
  readonly action?: ActionRecord['id'];
  readonly fails: boolean;
  readonly isSlow?: true;
  /** Variant that a successful deployment adds; undefined if it replaces the live version. */
  readonly rollout?: RolloutSettings;
}

export type RolloutSettings = Pick<VariantRecord, 'variant_type' | 'percentage'>;

export interface ServerGroupState {
  readonly row: RecordOf<typeof ServerGroup>;
  /** Set in a copy: true if the service listed databases of the group. If undefined, the type of the group decides. */
  readonly hasDatabases?: boolean;
  databases: DatabaseState[];
  users: DatabaseUserState[];
}

/** A database without its users: each user holds the UIDs of its databases. */
export type DatabaseState = Omit<RecordOf<typeof Database>, 'users'>;
export interface DatabaseUserState extends Omit<RecordOf<typeof DatabaseUser>, 'databases' | 'password'> {
  password: string;
  databaseUids: string[];
}

export type ActionOwner = StackState | ClusterState;

export interface ActionState {
  row: ActionRecord;
  phase: 'queued' | 'started' | 'finished';
  readonly queuedMs: number;
  /** The operation that the action carries out; undefined if the action ends with a deployment or is a seeded one. */
  readonly effect?: OperationCall;
  readonly fails?: boolean;
}

/** An operation, with its input, that an action carries out. */
export interface OperationCall {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** True if the operation queues no action of its own, so that all of it runs when this action ends. */
  readonly isWhole?: true;
}

/** The part of a sign-in that its consent page and its code share. */
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

type IssuedCode = Grant & { readonly code: string };

/** Names of the scenarios that `sandbox reset` and `sandbox start` accept. */
export const scenarioNames = ['incident'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
