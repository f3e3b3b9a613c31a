import type { RecordOf } from '../contract/record.ts';
import type { Account } from '../resources/account.ts';
import type { StackAction } from '../resources/action.ts';
import type { Database } from '../resources/database.ts';
import type { DatabaseUser } from '../resources/database-user.ts';
import type { Deployment } from '../resources/deployment.ts';
import type { EnvironmentVariable } from '../resources/env.ts';
import type { ServerGroup, Stack } from '../resources/stack.ts';
import type { TagEntry } from '../resources/tag.ts';
import type { Variant } from '../resources/variant.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Raised whenever the shape below changes; state files of another format are refused. */
export const stateFormat = 1;

export type AccountRow = Writable<RecordOf<typeof Account>>;
export type ActionRow = Writable<RecordOf<typeof StackAction>>;
export type DeploymentRow = Writable<RecordOf<typeof Deployment>>;
export type VariableRow = Writable<RecordOf<typeof EnvironmentVariable>>;
export type VariantRow = Writable<RecordOf<typeof Variant>>;
export type TagRow = Writable<RecordOf<typeof TagEntry>>;

/** The whole world of the sandbox as plain JSON data. */
export interface State {
  readonly format: typeof stateFormat;
  accounts: HeldAccount[];
  stacks: HeldStack[];
  oauth: OAuthState;
  /** The next number of each kind; `serial` feeds every made-up UID, hash and password. */
  next: { action: number; deployment: number; variable: number; serial: number };
}

/** Only a `member` sees an account in the list; the other two exist to be refused with 400 and 403. */
export interface HeldAccount {
  readonly access: 'member' | 'restricted' | 'foreign';
  readonly row: AccountRow;
}

export interface HeldStack {
  row: Writable<RecordOf<typeof Stack>>;
  /** Container stacks take `services`, the others `git_ref`. */
  readonly containers: boolean;
  variables: VariableRow[];
  /** In the order of their ids; so are the actions. */
  deployments: HeldDeployment[];
  variants: VariantRow[];
  groups: HeldGroup[];
  readonly servers: readonly { readonly uid: string; readonly name: string }[];
  readonly loadbalancers: readonly { readonly id: string; readonly name: string }[];
  tags: TagRow[];
  actions: HeldAction[];
  /** When the last deployment ended: the next one in line starts no earlier. */
  freeMs: number;
}

export interface HeldDeployment {
  row: DeploymentRow;
  phase: 'queued' | 'deploying' | 'done';
  queuedMs: number;
  startedMs: number;
  /** The action that runs along with it; absent on those of the seed. */
  readonly action?: number;
  readonly fails: boolean;
}

export interface HeldGroup {
  readonly row: RecordOf<typeof ServerGroup>;
  readonly holdsDatabases: boolean;
  databases: HeldDatabase[];
  users: HeldDatabaseUser[];
}

/** Who may use a database is kept once, at the user. */
export type HeldDatabase = Omit<RecordOf<typeof Database>, 'users'>;
export interface HeldDatabaseUser extends Omit<RecordOf<typeof DatabaseUser>, 'databases' | 'password'> {
  password: string;
  databaseUids: string[];
}

export interface HeldAction {
  row: ActionRow;
  phase: 'queued' | 'started' | 'finished';
  readonly queuedMs: number;
  /** What happens when it finishes; absent on actions that a deployment drives. */
  readonly effect?: Effect;
}

/** What an action changes at its end. */
export type Effect =
  | {
      readonly kind: 'database_create';
      readonly group: number;
      readonly name: string;
      readonly userUids: readonly string[];
    }
  | { readonly kind: 'database_delete'; readonly group: number; readonly uid: string }
  | {
      readonly kind: 'database_user_create';
      readonly group: number;
      readonly username: string;
      readonly userType: string;
      readonly databaseUids: readonly string[];
    }
  | { readonly kind: 'database_user_password_change'; readonly group: number; readonly uid: string }
  | { readonly kind: 'database_user_delete'; readonly group: number; readonly uid: string };

export interface OAuthState {
  /** Consent pages that were shown and not yet answered. */
  requests: ConsentRequest[];
  codes: IssuedCode[];
  tokens: { readonly token: string; readonly scopes: readonly string[] }[];
}

export interface ConsentRequest {
  readonly id: string;
  readonly redirect: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly challenge: string | undefined;
  readonly expiresMs: number;
}

export interface IssuedCode {
  readonly code: string;
  readonly redirect: string;
  readonly scopes: readonly string[];
  readonly challenge: string | undefined;
  readonly expiresMs: number;
}
