import { shortHash } from '../../../contract/values/git-hash.ts';
import { Problem } from '../../../problems/problem.ts';
import { readOrUndefined } from '../../../problems/unreadable.ts';
import { type DeploymentRow, deployments, isInProgress, recent, stateText } from '../../../resources/deployment.ts';
import { kindOf, shareText, type VariantRow, variants } from '../../../resources/variant.ts';
import type { RampContext } from './services.ts';

/** The canary of a ramp, and what was true beside it when it began. */
export interface Canary {
  readonly stack_id: string;
  readonly uid: string;
  readonly commit: string;
  readonly activeCommit: string | null;
  /** The newest deployment, 0 where there was none; null where they could not be read. */
  readonly deployment: number | null;
}

export interface RampWorld {
  readonly variants: readonly VariantRow[];
  /** Undefined where the token may not read them. */
  readonly deployments: readonly DeploymentRow[] | undefined;
}

/** A read that takes longer counts as failed. */
const readLimitMs = 20_000;

/** Two requests, side by side. */
export async function readWorld(context: RampContext, stack_id: string): Promise<RampWorld> {
  const [rows, deployed] = await Promise.all([
    readVariants(context, stack_id),
    readOrUndefined(context.call(deployments.list, { stack_id }, { limit: recent, ...limitOf(context) })),
  ]);
  return { variants: rows, deployments: deployed };
}

export function readVariants(context: RampContext, stack_id: string): Promise<readonly VariantRow[]> {
  return context.call(variants.list, { stack_id }, limitOf(context));
}

function limitOf(context: RampContext): { readonly signal: AbortSignal } {
  return { signal: context.deadline(readLimitMs) };
}

/** An error that no later read mends. */
export function endsReading(error: unknown): boolean {
  return error instanceof Problem && ['unauthenticated', 'forbidden', 'not_found'].includes(error.kind);
}

export function activeOf(rows: readonly VariantRow[]): VariantRow | undefined {
  return rows.find((row) => kindOf(row) === 'active');
}

export function newestOf(rows: readonly DeploymentRow[] | undefined): number | null {
  return rows ? Math.max(0, ...rows.map(({ id }) => Number(id))) : null;
}

/** What somebody else has changed, as a sentence; undefined where all is as the ramp left it. */
export function changeIn(world: RampWorld, canary: Canary, shares: readonly number[]): string | undefined {
  return changedVariant(world.variants, canary, shares) ?? newDeployment(world.deployments, canary);
}

export function changedVariant(
  rows: readonly VariantRow[],
  { uid, commit, activeCommit }: Canary,
  shares: readonly number[],
): string | undefined {
  const row = rows.find((one) => one.uid === uid);
  if (!row) return `variant ${uid} is gone`;
  if (kindOf(row) === 'active') return `variant ${uid} is the active version now`;
  if (row.git_hash !== commit) return `variant ${uid} is of commit ${shortHash(row.git_hash)} now`;
  if (!shares.includes(row.percentage)) return `variant ${uid} has ${shareText(row)} now, not ${shares[0]} %`;
  const active = activeOf(rows)?.git_hash ?? null;
  return active === activeCommit ? undefined : `the active version is commit ${shortHash(active)} now`;
}

function newDeployment(rows: readonly DeploymentRow[] = [], { deployment }: Canary): string | undefined {
  const running = rows.find(isInProgress);
  if (running) return `deployment ${running.id} is ${stateText(running)}`;
  const newest = newestOf(rows);
  const isNew = deployment !== null && newest !== null && newest > deployment;
  return isNew ? `deployment ${newest} was made` : undefined;
}
