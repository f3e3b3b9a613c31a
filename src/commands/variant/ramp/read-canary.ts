import type { CallMore, Context } from '../../../contract/command.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import { shortHash } from '../../../contract/values/text.ts';
import { readOrUndefined } from '../../../errors/cli-error.ts';
import { type DeploymentRow, deployments, recentLimit } from '../../../resources/deployment.ts';
import { isActive, shareText, type VariantRow, variants } from '../../../resources/variant.ts';
import { busyWith } from '../../status/busy.ts';
import type { Traffic } from './machine/state.ts';

/** The canary of a ramp, and its surroundings at the beginning. */
export interface Canary {
  readonly stack_id: string;
  readonly uid: string;
  readonly commit: string;
  readonly activeCommit: string | null;
  /** The newest deployment, or 0; null where deployments could not be read. */
  readonly deployment: number | null;
}

export function weightLine({ stack_id, uid }: Canary, share: number): CommandLine {
  return { path: 'variant weight', operands: [uid, String(share)], flags: ['-y'], stack_id };
}

export type Rollout = Awaited<ReturnType<typeof readRollout>>;

/** A read that follows again soon is repeated only when the service says when. */
export const polled: CallMore = { attemptMs: 20_000 };

/** Two requests, side by side; deployments are undefined if the token may not read them, or if they need not be read. */
export async function readRollout({ call }: Context, stack_id: string, more: CallMore = {}, isOptional = false) {
  const reading = call(variants.list, { stack_id }, more);
  const deployed = readOrUndefined(call(deployments.list, { stack_id }, { ...more, limit: recentLimit }));
  const [rows, known] = await Promise.all([reading, isOptional ? deployed.catch(() => undefined) : deployed]);
  return { variants: rows, deployments: known };
}

export function activeOf(rows: readonly VariantRow[]): VariantRow | undefined {
  return rows.find(isActive);
}

export function newestOf(rows: readonly DeploymentRow[] | undefined): number | null {
  return rows ? Math.max(0, ...rows.map(({ id }) => Number(id))) : null;
}

/** The last known share of the canary, and the share of a request whose result is unknown. */
export function possibleShares({ share, mayHave }: Traffic): readonly number[] {
  return mayHave === undefined ? [share] : [share, mayHave];
}

/** A sentence about the change of another user; undefined without one. */
export function changeIn(rollout: Rollout, canary: Canary, shares: readonly number[]): string | undefined {
  return changedVariant(rollout.variants, canary, shares) ?? newDeployment(rollout.deployments, canary);
}

export function changedVariant(
  rows: readonly VariantRow[],
  { uid, commit, activeCommit }: Canary,
  shares: readonly number[],
): string | undefined {
  const row = rows.find((one) => one.uid === uid);
  if (!row) return `variant ${uid} is gone`;
  if (isActive(row)) return `variant ${uid} is the active version now`;
  if (row.git_hash !== commit) return `variant ${uid} is of commit ${shortHash(row.git_hash)} now`;
  if (!shares.includes(row.percentage)) return `variant ${uid} has ${shareText(row)} now, not ${shares[0]} %`;
  const active = activeOf(rows)?.git_hash ?? null;
  return active === activeCommit ? undefined : `the active version is commit ${shortHash(active)} now`;
}

function newDeployment(rows: readonly DeploymentRow[] = [], { deployment }: Canary): string | undefined {
  const [running] = busyWith({ deployments: rows });
  if (running !== undefined) return running;
  const newest = newestOf(rows);
  const isNew = deployment !== null && newest !== null && newest > deployment;
  return isNew ? `deployment ${newest} was made` : undefined;
}
