import { shortHash } from '../../contract/values/git-hash.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRow, hasSucceeded, isOngoing, outcomeOf, succeededBefore } from '../../resources/deployment.ts';

/** From which deployment to which, by their commits. */
export interface Rollback {
  /** What is live; undefined where the service does not show it. */
  readonly live: DeploymentRow | undefined;
  readonly target: DeploymentRow;
  /** Something else is about to take the place of what is live. */
  readonly isGoing: boolean;
}

export interface RollbackCandidates {
  readonly stack_id: string;
  /** The newest deployments. */
  readonly known: readonly DeploymentRow[];
  /** The one that was asked for by its id. */
  readonly chosen: DeploymentRow | undefined;
}

/** The chosen deployment, else the last one before the live one that succeeded with another commit; throws rejected. */
export function findRollback({ stack_id, known, chosen }: RollbackCandidates): Rollback {
  const live = known.find(({ is_live }) => is_live);
  const target = chosen ?? previousTo(live, known, stack_id);
  if (target.id !== live?.id && !hasSucceeded(target)) {
    const state = target.finished_at ? `did not succeed (${outcomeOf(target)})` : 'has not ended';
    throw refused(`deployment ${target.id} ${state}, so there is nothing to go back to`, stack_id);
  }
  if (!target.git_hash) {
    const why = 'a rollback deploys a commit, which container stacks do not have';
    throw refused(`deployment ${target.id} shows no commit: ${why}`, stack_id);
  }
  return { live, target, isGoing: known.some(isOngoing) };
}

/** True when what is wanted is what runs, and will. */
export function isLiveAlready({ live, target, isGoing }: Rollback): boolean {
  return !isGoing && live !== undefined && (live.id === target.id || live.git_hash === target.git_hash);
}

/** `commit d8b847d -> e5e13e8`, and where to read what lies between. */
export function rangeOf({ live, target }: Omit<Rollback, 'isGoing'>): readonly string[] {
  const [from, to] = [live?.git_hash, target.git_hash];
  const range = `commit ${from ? shortHash(from) : 'unknown'} -> ${shortHash(to)} of deployment ${target.id}`;
  return [range, ...addressesOf(live, target)];
}

function addressesOf(live: DeploymentRow | undefined, target: DeploymentRow): readonly string[] {
  const comparison = live && comparisonOf(live, target);
  if (comparison) return [comparison];
  return [live?.commit_url, target.commit_url].flatMap((url) => (url ? [url] : []));
}

/** What goes away, where the host is one whose addresses are known: GitHub, and GitLab by its `/-/`. */
function comparisonOf(live: DeploymentRow, target: DeploymentRow): string | undefined {
  const pattern = /^(https:\/\/(?:github\.com\/[^/?#]+\/[^/?#]+|[^/?#]+\/[^?#]+\/-))\/commit\/([0-9a-f]{40})$/;
  const [, base, from] = pattern.exec(live.commit_url ?? '') ?? [];
  const [, same, to] = pattern.exec(target.commit_url ?? '') ?? [];
  const isTrue = base !== undefined && base === same && from === live.git_hash && to === target.git_hash;
  return isTrue ? `${base}/compare/${to}...${from}` : undefined;
}

function previousTo(live: DeploymentRow | undefined, known: readonly DeploymentRow[], stack_id: string): DeploymentRow {
  if (!live) throw refused('no deployment is shown as live; give the id of the one to go back to', stack_id);
  const earlier = succeededBefore(known, live).filter(({ reverted }) => reverted !== true);
  const found = earlier.find(({ git_hash }) => git_hash !== live.git_hash) ?? earlier.find(({ git_hash }) => !git_hash);
  if (found) return found;
  const reason = `no deployment before ${live.id} succeeded with another commit, as far as the newest ${known.length} show`;
  throw refused(reason, stack_id);
}

function refused(reason: string, stack_id: string): Problem {
  return new Problem('rejected', `${reason}; nothing was sent`, { hint: { path: 'deployment list', stack_id } });
}
