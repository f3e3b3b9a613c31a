import { outcomes } from '../handlers/deployment.ts';
import type { HeldDeployment, HeldStack, StoredVariable } from '../state.ts';
import { madeUp } from './made-up.ts';

export interface SeedStack {
  readonly uid: string;
  readonly name: string;
  readonly environment: string;
  readonly language: string;
  readonly framework: string;
  readonly health: number;
}

export function seedStackRow({ uid, name, environment, ...more }: SeedStack): HeldStack['row'] {
  return {
    uid,
    name,
    environment,
    ...more,
    status: 1,
    account_id: 42,
    account_name: 'Harbour Books',
    git: `git@git.example:harbour/${name}.git`,
    git_branch: environment === 'production' ? 'main' : 'develop',
    cloud: 'hetzner',
    fqdn: `${name}.${environment === 'production' ? '' : `${environment}.`}harbour.example`,
    backend: 'nginx',
    is_busy: false,
    is_cluster: false,
    maintenance_mode: false,
    redeploy_hook: `https://hooks.harbour.example/redeploy/${madeUp(`hook ${uid}`, 32)}`,
    last_activity: '2026-04-14T09:34:10Z',
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-04-14T09:34:10Z',
  };
}

interface SeedDeployment {
  readonly id: number;
  readonly by: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly outcome?: keyof typeof outcomes;
  readonly isLive?: boolean;
}

export function seedDeployment(stack: string, seed: SeedDeployment): HeldDeployment {
  const { id, by, startedAt, finishedAt = null, outcome = 'success', isLive = false } = seed;
  const git_hash = seedCommit(id);
  const row = {
    id,
    outcome: outcomes[outcome],
    started_at: startedAt,
    finished_at: finishedAt,
    git_hash,
    triggered_by: by,
    triggered_via: { code: 0, meaning: 'web' },
    deploy_type: { code: 0, meaning: 'build' },
    is_live: isLive,
    is_head: isLive,
    is_deploying: false,
    deploy_session: madeUp(`session ${id}`, 12),
    reverted: null,
    reverted_by: null,
    reverted_at: null,
    commit_url: `https://git.example/harbour/${stack}/commit/${git_hash}`,
  };
  return { row, phase: 'done', queuedMs: 0, startedMs: 0, fails: false };
}

/** The commit of a seeded deployment; variants show the same one. */
export function seedCommit(deployment: number): string {
  return madeUp(`commit ${deployment}`, 40);
}

/** Read-only variables are also generated: the service keeps them itself. */
export type SeedVariable = readonly [key: string, value: string, kind?: 'password' | 'readonly'];

export function seedVariables(firstId: number, seeds: readonly SeedVariable[]): StoredVariable[] {
  return seeds.map(([key, value, kind], index) => ({
    id: firstId + index,
    key,
    value,
    readonly: kind === 'readonly',
    is_password: kind === 'password',
    is_generated: kind === 'readonly',
    created_at: '2025-11-03T10:00:00Z',
    updated_at: '2025-11-03T10:00:00Z',
    history: [],
  }));
}
