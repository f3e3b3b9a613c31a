import type { CallOptions, Context } from '../../../contract/command.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import { shortHash } from '../../../contract/values/text.ts';
import { readOrUndefined } from '../../../errors/cli-error.ts';
import { type DeploymentRow, deployments, recentLimit } from '../../../resources/deployment.ts';
import { isActiveVariant, trafficShareText, type VariantRow, variants } from '../../../resources/variant.ts';
import { busyReasons } from '../../status/busy.ts';
import type { Traffic } from './machine/state.ts';

/** The canary of a ramp, with the active version and the newest deployment at the beginning of the ramp. */
export interface Canary {
  readonly stack_id: string;
  readonly uid: string;
  readonly commit: string;
  readonly activeCommit: string | null;
  /** ID of the newest deployment; 0 if there was none, null if deployments could not be read. */
  readonly newestDeployment: number | null;
}

export function weightCommand({ stack_id, uid }: Canary, share: number): CommandLine {
  return { path: 'variant weight', operands: [uid, String(share)], flags: ['-y'], stack_id };
}

export type Rollout = Awaited<ReturnType<typeof readRollout>>;

/** Options of a polled read. The next poll comes soon, so a failed request is repeated only after a Retry-After. */
export const pollOptions: CallOptions = { attemptTimeoutMs: 20_000 };

/** Reads variants and deployments; deployments are undefined if forbidden or, with `isOptional`, if the read fails. */
export async function readRollout({ call }: Context, stack_id: string, options: CallOptions = {}, isOptional = false) {
  const variantRead = call(variants.list, { stack_id }, options);
  const allowedRead = readOrUndefined(call(deployments.list, { stack_id }, { ...options, limit: recentLimit }));
  const deploymentRead = isOptional ? allowedRead.catch(() => undefined) : allowedRead;
  const [rows, deployRows] = await Promise.all([variantRead, deploymentRead]);
  return { variants: rows, deployments: deployRows };
}

export function activeVariantOf(rows: readonly VariantRow[]): VariantRow | undefined {
  return rows.find(isActiveVariant);
}

export function newestDeploymentId(rows: readonly DeploymentRow[] | undefined): number | null {
  return rows ? Math.max(0, ...rows.map(({ id }) => Number(id))) : null;
}

/** Returns the last known share of the canary and, after a request with an unknown result, the requested share. */
export function possibleShares({ share, mayHave }: Traffic): readonly number[] {
  return mayHave === undefined ? [share] : [share, mayHave];
}

/** Returns a sentence about a change that another user made; undefined without such a change. */
export function changeByOthers(rollout: Rollout, canary: Canary, shares: readonly number[]): string | undefined {
  const change = variantChangeByOthers(rollout.variants, canary, shares) ?? busyReasons(rollout)[0];
  if (change !== undefined) return change;
  const newestId = newestDeploymentId(rollout.deployments) ?? 0;
  // Where the deployments could not be read at the beginning, none counts as new.
  return newestId > (canary.newestDeployment ?? newestId) ? `deployment ${newestId} was made` : undefined;
}

export function variantChangeByOthers(rows: readonly VariantRow[], canary: Canary, shares: readonly number[]) {
  const { uid, commit, activeCommit } = canary;
  const row = rows.find((one) => one.uid === uid);
  if (!row) return `variant ${uid} is gone`;
  if (isActiveVariant(row)) return `variant ${uid} is the active version now`;
  if (row.git_hash !== commit) return `variant ${uid} is of commit ${shortHash(row.git_hash)} now`;
  if (!shares.includes(row.percentage)) return `variant ${uid} has ${trafficShareText(row)} now, not ${shares[0]} %`;
  const activeHash = activeVariantOf(rows)?.git_hash ?? null;
  return activeHash === activeCommit ? undefined : `the active version is commit ${shortHash(activeHash)} now`;
}
