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

/** IDs of the newest deployments before the request; undefined if they could not be read. */
export type EarlierIds = readonly number[] | undefined;

/** Reads the name or e-mail address of the user who sends the request; undefined if the service does not show it. */
export type ReadUserName = () => Promise<string | undefined>;

/** Returns a function that reads the user name once, when the function is first called. */
export function userNameReader(read: Read): ReadUserName {
  return once(() => readOrUndefined(read(pings.auth, {})).then((caller) => caller?.user_name));
}

export interface CandidateSearch {
  readonly earlierIds: EarlierIds;
  readonly readUserName: ReadUserName;
}

/**
 * Returns the deployments since the request whose records do not contradict the request, newest first. If some of them
 * show the requested commit, it returns only those. Empty if the earlier deployments are unknown.
 */
export async function findCandidateRows(
  read: Read,
  { stack_id, git_ref }: Pick<DeploymentRequest, 'stack_id' | 'git_ref'>,
  { earlierIds, readUserName }: CandidateSearch,
): Promise<readonly DeploymentRow[]> {
  if (!earlierIds) return [];
  const rows = await read(deployments.list, { stack_id }, { limit: recentLimit });
  const newRows = newestFirst(rows.filter(({ id }) => id > highestId(earlierIds)));
  const fitFlags = await Promise.all(newRows.map((row) => mayBeRequested(row, git_ref, readUserName)));
  const fittingRows = newRows.filter((_, at) => fitFlags[at]);
  const rowsOfCommit = fittingRows.filter(({ git_hash }) => isSameCommit(git_hash, git_ref));
  return rowsOfCommit.length > 0 ? rowsOfCommit : fittingRows;
}

/** False if the record shows another commit, branch or tag, another channel or another user than the request. */
export async function mayBeRequested(row: DeploymentRow, git_ref: string | undefined, readUserName: ReadUserName) {
  if (isOtherVersion(row, git_ref) || isOtherChannel(row)) return false;
  return !row.triggered_by || !isOtherUser(row.triggered_by, await readUserName());
}

export function highestId(ids: readonly number[]): number {
  return Math.max(0, ...ids);
}

/** True if the record shows another commit than the requested one, or another branch or tag. */
export function isOtherVersion({ git_hash, git_ref }: DeploymentRow, requested: string | undefined): boolean {
  if (requested === undefined || isSameCommit(git_hash, requested)) return false;
  if (git_hash && isFullHash(requested)) return true;
  return git_ref ? refName(git_ref) !== refName(requested) : false;
}

function refName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

/** True if the record shows that another channel than the API started the deployment. */
export function isOtherChannel({ triggered_via }: DeploymentRow): boolean {
  // The only documented code is 0, so other codes without a meaning show no channel.
  const channel = triggered_via?.meaning ?? (triggered_via?.code === 0 ? 'web' : undefined);
  return channel === 'web' || channel === 'hook';
}

function isOtherUser(triggered_by: string, userName: string | undefined): boolean {
  // A name and an e-mail address may belong to one person, so they are not compared.
  const isComparable = userName?.includes('@') === triggered_by.includes('@');
  return isComparable && userName?.toLowerCase() !== triggered_by.toLowerCase();
}

/** Returns the only deployment of a list. Undefined for several, because each may be the requested one. */
export function onlyDeployment([row, ...more]: readonly DeploymentRow[]): DeploymentRow | undefined {
  return more.length === 0 ? row : undefined;
}
