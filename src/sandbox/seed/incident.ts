import { newNamedActionRecord } from '../actions.ts';
import { changeVariable } from '../handlers/env.ts';
import type { StackState, State } from '../state.ts';
import { isoStamp, maraEmail } from './made-up.ts';
import { deploymentRow, failedResult, outcomes, seedBackups, seedDeployments } from './rows.ts';

const minuteMs = 60_000;

/**
 * Adds problems to shop/production: a canary with a quarter of the traffic, a changed variable, a failed deployment, a
 * running deployment that will fail in a minute, and a failed backup. An autoscaler begins to change that stack.
 * blog/staging loses its live deployment.
 */
export function beginIncident(state: State, now: Date): void {
  const shop = state.stacks.find(({ row }) => row.name === 'shop');
  if (!shop) return;
  const ago = (minutes: number) => isoStamp(now.getTime() - minutes * minuteMs);
  const canary = shop.variants.find(({ variant_type }) => variant_type === 'canary');
  if (canary) Object.assign(canary, { percentage: 25, created_at: ago(32) });
  const searchIndexVariable = shop.variables.find(({ key }) => key === 'SEARCH_INDEX');
  if (searchIndexVariable) changeVariable(searchIndexVariable, 'books_v8', ago(20));
  const server_uid = shop.servers.find(({ row }) => row.name === 'shop-db-1')?.row.uid ?? '';
  const db = { db_type: 'postgresql', group: 12, server_uid };
  const noSpaceFields = failedResult('pg_dump: no space left on device');
  const backups = seedBackups(shop.row.uid, [
    { ...db, id: 907, database_name: 'shop_events', backup_date_iso: ago(520), backup_size: 2_621_440 },
    { ...db, id: 908, database_name: 'shop_prod', backup_date_iso: ago(45), backup_size: 0, ...noSpaceFields },
  ]);
  shop.backups.push(...backups);
  const git_hash = canary?.git_hash ?? '';
  const failedDeployment = { id: 1042, triggered_by: maraEmail, started_at: ago(18), finished_at: ago(16), git_hash };
  shop.deployments.push(...seedDeployments('shop', [{ ...failedDeployment, outcome: outcomes.failed }]));
  addRunningDeployment(state, shop, git_hash, now.getTime() - 9 * minuteMs);
  const stagingBlog = state.stacks.find(({ containers }) => containers);
  if (stagingBlog) stagingBlog.deployments = stagingBlog.deployments.filter(({ row }) => !row.is_live);
  Object.assign(state.next, { backup: 909, deployment: 1044 });
  state.autoscaler = { beganMs: now.getTime(), changes: 0 };
}

function addRunningDeployment(state: State, shop: StackState, git_hash: string, startedMs: number): void {
  const times = { queuedMs: startedMs, startedMs };
  const started_at = isoStamp(startedMs);
  const newAction = newNamedActionRecord(state, shop, { action: 'deploy' });
  const action = { ...newAction, user: maraEmail, started_via: 'web', started_at, metadata: {} };
  const row = deploymentRow('shop', { id: 1043, started_at, git_hash, triggered_by: maraEmail, is_deploying: true });
  shop.deployments.push({ row, phase: 'deploying', ...times, action: action.id, fails: true, isSlow: true });
  shop.actions.push({ row: action, phase: 'started', queuedMs: startedMs });
}
