import type { RecordOf } from '../contract/record.ts';
import type { Account } from '../resources/account.ts';
import type { StackAction } from '../resources/action.ts';
import type { Backup } from '../resources/backup.ts';
import type { Cluster } from '../resources/cluster.ts';
import type { Database } from '../resources/database.ts';
import type { DatabaseUser } from '../resources/database-user.ts';
import type { Deployment } from '../resources/deployment.ts';
import type { Device } from '../resources/device.ts';
import type { EnvironmentVariable } from '../resources/env.ts';
import type { Gateway } from '../resources/gateway.ts';
import type { Process } from '../resources/process.ts';
import type { Server } from '../resources/server.ts';
import type { ServerGroup, Stack } from '../resources/stack.ts';
import type { TagEntry } from '../resources/tag.ts';
import type { User } from '../resources/user.ts';
import type { Variant } from '../resources/variant.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Increment it when files of the earlier shape no longer work; they are refused. */
export const stateFormat = 3;

export type StoredAction = Writable<RecordOf<typeof StackAction>>;
export type StoredDeployment = Writable<RecordOf<typeof Deployment>>;
export type StoredDevice = Writable<RecordOf<typeof Device>>;
export type StoredGateway = Writable<RecordOf<typeof Gateway>>;
export type StoredVariable = Writable<RecordOf<typeof EnvironmentVariable>>;
export type StoredVariant = Writable<RecordOf<typeof Variant>>;
export type StoredTag = Writable<RecordOf<typeof TagEntry>>;

/** The whole state of the sandbox as plain JSON data. */
export interface State {
  readonly format: typeof stateFormat;
  accounts: HeldAccount[];
  stacks: HeldStack[];
  clusters: HeldCluster[];
  users: HeldUser[];
  oauth: {
    /** Consent pages without a decision so far. */
    requests: ConsentRequest[];
    codes: IssuedCode[];
    tokens: { readonly token: string; readonly scopes: readonly string[] }[];
  };
  /** Only in a scenario: changes `shop` again and again, as somebody else would. */
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

/** Only a `member` sees an account in the list; the others are for 400 and 403. */
export interface HeldAccount {
  readonly access: 'member' | 'restricted' | 'foreign';
  readonly row: Writable<RecordOf<typeof Account>>;
  gateways: StoredGateway[];
}

/** Rights by name: a user may have some that the document does not list. */
export interface HeldUser {
  readonly row: Writable<Omit<RecordOf<typeof User>, 'access_profile' | 'devices'>>;
  rights: Readonly<Record<string, unknown>>;
  roles: readonly { readonly stack_uid: string; readonly role: string }[];
  devices: StoredDevice[];
}

export interface HeldCluster {
  readonly row: Writable<RecordOf<typeof Cluster>>;
  readonly log: string;
  /** Read under the UID of the cluster as if it were a stack. */
  actions: HeldAction[];
}

export interface HeldStack {
  row: Writable<RecordOf<typeof Stack>>;
  /** Container stacks take `services`, the others `git_ref`. */
  readonly containers: boolean;
  variables: StoredVariable[];
  /** In the order of their IDs, like the actions. */
  deployments: HeldDeployment[];
  variants: StoredVariant[];
  groups: HeldGroup[];
  servers: readonly HeldServer[];
  readonly settings: readonly HeldSetting[];
  readonly processes: readonly HeldProcess[];
  backups: HeldBackup[];
  readonly loadbalancers: readonly { readonly id: string; readonly name: string }[];
  tags: StoredTag[];
  actions: HeldAction[];
  /** When the last deployment ended: the next queued one starts no earlier. */
  freeMs: number;
}

export interface HeldServer {
  readonly row: Writable<RecordOf<typeof Server>>;
  readonly settings: readonly HeldSetting[];
}

export type SettingValue = string | number | boolean | null;

export interface HeldSetting {
  readonly id: number;
  readonly key: string;
  value: SettingValue;
  /** The type of the value, which is always sent as a string. */
  readonly takes: 'text' | 'integer' | 'flag';
  readonly readonly: boolean;
  readonly warning_text: string;
  readonly created_at: string;
  updated_at: string;
}

export interface HeldProcess extends Omit<RecordOf<typeof Process>, 'servers'> {
  /** By server UID, because a server can be renamed. */
  counts: Readonly<Record<string, number>>;
}

export interface HeldBackup {
  readonly row: Writable<RecordOf<typeof Backup>>;
  readonly group: number;
  readonly parts: number;
}

export interface HeldDeployment {
  row: StoredDeployment;
  phase: 'queued' | 'deploying' | 'done';
  queuedMs: number;
  startedMs: number;
  /** The action of the deployment; absent in the seed. */
  readonly action?: StoredAction['id'];
  readonly fails: boolean;
  readonly isSlow?: true;
  /** The variant it makes beside the live version when it succeeds. */
  readonly rollout?: Rollout;
}

export type Rollout = Pick<StoredVariant, 'variant_type' | 'percentage'>;

export interface HeldGroup {
  readonly row: RecordOf<typeof ServerGroup>;
  databases: HeldDatabase[];
  users: HeldDatabaseUser[];
}

/** Access to databases is stored only with the user. */
export type HeldDatabase = Omit<RecordOf<typeof Database>, 'users'>;
export interface HeldDatabaseUser extends Omit<RecordOf<typeof DatabaseUser>, 'databases' | 'password'> {
  password: string;
  databaseUids: string[];
}

export interface HeldAction {
  row: StoredAction;
  phase: 'queued' | 'started' | 'finished';
  readonly queuedMs: number;
  /** Absent when a deployment drives it. */
  readonly effect?: Effect;
  /** It will fail without effect. */
  readonly fails?: boolean;
}

/** An operation that an action carries out when it ends. */
export interface Effect {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** It queues no action itself, so it is done whole at the end of this one. */
  readonly isWhole?: true;
}

/** What was asked for at the sign-in. */
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

/** What a sandbox may begin with instead of a quiet day. */
export const scenarioNames = ['incident'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
