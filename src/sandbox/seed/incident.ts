import { changeVariable } from '../handlers/env.ts';
import type { HeldStack, State } from '../state.ts';
import { seedBackups } from './backup-rows.ts';
import { stamp } from './made-up.ts';
import { seedDeployment } from './rows.ts';
import { shopDatabaseServer as server } from './shop/machines.ts';

const minuteMs = 60_000;

/**
 * Makes shop/production a stack in trouble: a canary with a quarter of the traffic, a changed variable, a deployment that
 * failed, one that will fail a minute later, and a failed backup; nothing is live in blog/staging. From now on an autoscaler changes the stack too.
 */
export function beginIncident(state: State, now: Date): void {
  const shop = state.stacks.find(({ row }) => row.name === 'shop');
  if (!shop) return;
  const ago = (minutes: number) => stamp(now.getTime() - minutes * minuteMs);
  const canary = shop.variants.find(({ variant_type }) => variant_type === 'canary');
  if (canary) Object.assign(canary, { percentage: 25, created_at: ago(32) });
  const index = shop.variables.find(({ key }) => key === 'SEARCH_INDEX');
  if (index) changeVariable(index, 'books_v8', ago(20));
  addBackups(shop, ago);
  addDeployments(shop, now, canary?.git_hash ?? '');
  const staging = state.stacks.find(({ containers }) => containers);
  if (staging) staging.deployments = staging.deployments.filter(({ row }) => !row.is_live);
  Object.assign(state.next, { action: 813, backup: 909, deployment: 1044 });
  state.autoscaler = { beganMs: now.getTime(), changes: 0 };
}

function addBackups(shop: HeldStack, ago: (minutes: number) => string): void {
  const postgresql = { type: 'postgresql', server };
  const fault = 'pg_dump: no space left on device';
  shop.backups.push(
    ...seedBackups(shop.row.uid, [
      [{ ...postgresql, id: 907, database: 'shop_events', takenAt: ago(520), bytes: 2_621_440 }],
      [{ ...postgresql, id: 908, database: 'shop_prod', takenAt: ago(45), bytes: 0, fault }, {}, 0],
    ]),
  );
}

/** Both deploy the commit of the canary. */
function addDeployments(shop: HeldStack, now: Date, git_hash: string): void {
  const ago = (minutes: number) => now.getTime() - minutes * minuteMs;
  const startedMs = ago(9);
  const by = 'mara@harbour.example';
  const commit = { git_hash, commit_url: `https://git.example/harbour/shop/commit/${git_hash}` };
  const times = { startedAt: stamp(ago(18)), finishedAt: stamp(ago(16)) };
  const failed = seedDeployment('shop', { id: 1042, by, ...times, outcome: 'failed' });
  const running = seedDeployment('shop', { id: 1043, by, startedAt: stamp(startedMs), outcome: 'pending' });
  shop.deployments.push(
    { ...failed, row: { ...failed.row, ...commit } },
    {
      row: { ...running.row, ...commit, is_deploying: true },
      phase: 'deploying',
      queuedMs: startedMs,
      startedMs,
      action: 812,
      fails: true,
      isSlow: true,
    },
  );
  shop.actions.push({
    phase: 'started',
    queuedMs: startedMs,
    row: {
      id: 812,
      user: by,
      resource_type: 'stack',
      action: 'deploy',
      resource_id: shop.row.uid,
      started_via: 'web',
      started_at: stamp(startedMs),
      finished_at: null,
      finished_success: null,
      finished_message: null,
      metadata: {},
    },
  });
}
