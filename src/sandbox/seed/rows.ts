import type {
  DatabaseState,
  DeploymentRecord,
  DeploymentState,
  ServerGroupState,
  StackState,
  VariableRecord,
  VariantRecord,
} from '../state.ts';
import { madeUpHex } from './made-up.ts';
import { seedStackSettings } from './settings.ts';

type StackSeed = Pick<StackState['row'], 'uid' | 'name' | 'environment' | 'language' | 'framework'>;

/** Returns a stack with default settings. Their IDs begin at `firstSettingId`. `overrides` has the rest. */
export function seedStack(seed: StackSeed, firstSettingId: number, overrides: Partial<StackState>): StackState {
  const { uid, name, environment } = seed;
  const isProduction = environment === 'production';
  const row = {
    ...seed,
    health: 3,
    status: 1,
    account_id: 42,
    account_name: 'Harbour Books',
    git: `git@git.example:harbour/${name}.git`,
    git_branch: isProduction ? 'main' : 'develop',
    cloud: 'hetzner',
    fqdn: `${name}.${isProduction ? '' : `${environment}.`}harbour.example`,
    backend: 'nginx',
    is_busy: false,
    is_cluster: false,
    maintenance_mode: false,
    redeploy_hook: `https://hooks.harbour.example/redeploy/${madeUpHex(`hook ${uid}`, 32)}`,
    last_activity: '2026-04-14T09:34:10Z',
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-04-14T09:34:10Z',
  };
  return {
    row,
    containers: false,
    variables: [],
    deployments: [],
    variants: [],
    groups: [],
    servers: [],
    settings: seedStackSettings(firstSettingId, row),
    processes: [],
    backups: [],
    loadbalancers: [],
    tags: [],
    actions: [],
    freeMs: 0,
    ...overrides,
  };
}

export const outcomes = {
  pending: { code: 0, meaning: 'pending' },
  success: { code: 1, meaning: 'success' },
  failed: { code: 2, meaning: 'failed' },
  // service.md does not define the outcome of a cancelled deployment. 3 is the next free code.
  cancelled: { code: 3, meaning: 'cancelled' },
} as const;

type RequiredDeploymentFields = Pick<DeploymentRecord, 'id' | 'started_at' | 'git_hash' | 'triggered_by'>;
type DeploymentFields = RequiredDeploymentFields & Partial<DeploymentRecord>;

/** Returns the row of a deployment, which is pending unless `fields` says otherwise. */
export function deploymentRow(stackName: string, fields: DeploymentFields): DeploymentRecord {
  const { id, started_at, git_hash, triggered_by, ...more } = fields;
  return {
    id,
    outcome: outcomes.pending,
    started_at,
    finished_at: null,
    git_hash,
    triggered_by,
    triggered_via: { code: 0, meaning: 'web' },
    deploy_type: { code: 0, meaning: 'build' },
    is_live: false,
    is_head: false,
    is_deploying: false,
    deploy_session: madeUpHex(`session ${id}`, 12),
    reverted: null,
    reverted_by: null,
    reverted_at: null,
    commit_url: `https://git.example/harbour/${stackName}/commit/${git_hash}`,
    ...more,
  };
}

type MoreFields = Partial<DeploymentRecord>;
type DeploymentSeed = readonly [id: number, by: string, startedAt: string, finishedAt: string, more?: MoreFields];

/** Returns finished deployments, successful by default. */
export function seedDeployments(stackName: string, seeds: readonly DeploymentSeed[]): DeploymentState[] {
  return seeds.map(([id, triggered_by, started_at, finished_at, more]) => {
    const fields = { id, started_at, finished_at, git_hash: seedCommit(id), triggered_by, outcome: outcomes.success };
    const row = deploymentRow(stackName, { ...fields, ...more });
    return { row, phase: 'done', queuedMs: 0, startedMs: 0, fails: false };
  });
}

/** Returns the commit of a seeded deployment. The variant of the deployment has the same commit. */
export function seedCommit(deploymentId: number): string {
  return madeUpHex(`commit ${deploymentId}`, 40);
}

type VariantSeed = readonly [id: number, uid: string, type: string, share: number, createdAt: string, commit: string];

export function seedVariants(seeds: readonly VariantSeed[]): VariantRecord[] {
  return seeds.map(([id, uid, variant_type, percentage, created_at, git_hash]) => {
    return { id, uid, variant_type, git_hash, created_at, percentage };
  });
}

type GroupSeed = Omit<ServerGroupState['row'], 'updated_at'>;
type DatabaseSeed = readonly [uid: string, name: string, bytes: number, createdAt: string];
type UserSeed = readonly [uid: string, name: string, type: string, createdAt: string, databaseUids: string[]];

export function seedGroup(row: GroupSeed, databases: DatabaseSeed[] = [], users: UserSeed[] = []): ServerGroupState {
  return {
    row: { ...row, updated_at: row.created_at },
    databases: databases.map(([uid, name, bytes, createdAt]) => databaseRow(uid, name, createdAt, bytes)),
    users: users.map(([uid, username, user_type, created_at, databaseUids]) => {
      return { uid, username, user_type, password: `sandbox-${username}-password`, created_at, databaseUids };
    }),
  };
}

/** Key, value and kind of a variable. A `readonly` variable is also generated, because the service maintains it. */
type VariableSeed = readonly [key: string, value: string, kind?: 'password' | 'readonly'];

export function variableRow(id: number, [key, value, kind]: VariableSeed, created_at: string): VariableRecord {
  const flags = { readonly: kind === 'readonly', is_password: kind === 'password', is_generated: kind === 'readonly' };
  return { id, key, value, ...flags, created_at, updated_at: created_at, history: [] };
}

export function seedVariables(firstId: number, seeds: readonly VariableSeed[]): VariableRecord[] {
  return seeds.map((seed, index) => variableRow(firstId + index, seed, '2025-11-03T10:00:00Z'));
}

/** Returns the row of a database. By default its size is 8 KiB, like that of a new database. */
export function databaseRow(uid: string, name: string, created_at: string, size_bytes = 8_192): DatabaseState {
  return { uid, name, size_bytes, charset: 'UTF8', collation: 'en_US.UTF-8', created_at };
}
