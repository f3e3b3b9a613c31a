import type { Read } from '../../contract/observe.ts';
import { once } from '../../contract/values/once.ts';
import { isFullHash, isSameCommit } from '../../contract/values/text.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import {
  type DeploymentRequest,
  type DeploymentRow,
  deployments,
  newestFirst,
  recentLimit,
} from '../../resources/deployment.ts';
import { pings } from '../../resources/reference.ts';

/** IDs of the newest deployments before the request, where they could be read. */
export type Known = readonly number[] | undefined;

/** Name or e-mail address of the user who sends the request; undefined where the service does not say. */
export type CallerName = () => Promise<string | undefined>;

/** Reads it once, and only if it is needed. */
export function callerName(read: Read): CallerName {
  return once(() => readOrUndefined(read(pings.auth, {})).then((caller) => caller?.user_name));
}

export interface OwnSearch {
  readonly known: Known;
  readonly caller: CallerName;
}

/**
 * The deployments since the request whose record does not contradict it, newest first; where some show the requested
 * commit, only those. Empty where the earlier deployments are not known.
 */
export async function ownAmongNew(
  read: Read,
  { stack_id, git_ref }: Pick<DeploymentRequest, 'stack_id' | 'git_ref'>,
  { known, caller }: OwnSearch,
): Promise<readonly DeploymentRow[]> {
  if (!known) return [];
  const rows = await read(deployments.list, { stack_id }, { limit: recentLimit });
  const added = newestFirst(rows.filter(({ id }) => id > lastOf(known)));
  const fits = await Promise.all(added.map((row) => mayBeOwn(row, git_ref, caller)));
  const own = added.filter((_, at) => fits[at]);
  const proven = own.filter(({ git_hash }) => isSameCommit(git_hash, git_ref));
  return proven.length > 0 ? proven : own;
}

/** False where the record shows another commit, branch or tag, another channel or another user than the request. */
export async function mayBeOwn(row: DeploymentRow, git_ref: string | undefined, caller: CallerName): Promise<boolean> {
  if (isOtherVersion(row, git_ref) || isOtherChannel(row)) return false;
  return !row.triggered_by || !isOtherUser(row.triggered_by, await caller());
}

export function lastOf(known: readonly number[]): number {
  return Math.max(0, ...known);
}

/** True where the record shows another commit than the requested one, or another branch or tag. */
export function isOtherVersion({ git_hash, git_ref }: DeploymentRow, requested: string | undefined): boolean {
  if (requested === undefined || isSameCommit(git_hash, requested)) return false;
  if (git_hash && isFullHash(requested)) return true;
  return Boolean(git_ref) && refName(git_ref ?? '') !== refName(requested);
}

function refName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

/** True where another channel than the API started it. */
export function isOtherChannel({ triggered_via }: DeploymentRow): boolean {
  // Only this code is documented.
  const channel = triggered_via?.meaning ?? (triggered_via?.code === 0 ? 'web' : undefined);
  return channel === 'web' || channel === 'hook';
}

function isOtherUser(triggered_by: string, caller: string | undefined): boolean {
  // A name and an e-mail address may belong to one person.
  const isComparable = caller?.includes('@') === triggered_by.includes('@');
  return isComparable && caller?.toLowerCase() !== triggered_by.toLowerCase();
}

/** Undefined where there are several: none is known to be the requested one. */
export function onlyDeployment([row, ...more]: readonly DeploymentRow[]): DeploymentRow | undefined {
  return more.length === 0 ? row : undefined;
}
