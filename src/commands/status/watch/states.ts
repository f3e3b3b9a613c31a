import { shortHash } from '../../../contract/values/git-hash.ts';
import type { WatchedState } from '../../../contract/watch.ts';
import { isInProgress } from '../../../resources/deployment.ts';
import { stackStatuses } from '../../../resources/stack.ts';
import { stackTitle, statusLines } from '../lines.ts';
import type { StackStatus } from '../record.ts';
import type { Found } from '../sections.ts';

const deployingStatuses = [stackStatuses.indexOf('queued'), stackStatuses.indexOf('deploying')];

/** Whether a deployment is in progress or about to be. */
export function isDeploying({ stack, deployments }: Pick<Found, 'stack' | 'deployments'>): boolean {
  if (stack && deployingStatuses.includes(stack.status)) return true;
  return (deployments ?? []).some(isInProgress);
}

/** The state of each resource of one stack. */
export function stackStates(status: StackStatus): readonly WatchedState[] {
  return statusLines(status).map(({ section = '', name = '', state = '' }) => ({
    section,
    name,
    state,
    // Only the newest deployments are shown.
    isPassing: section === 'deployment',
  }));
}

/** The states of several stacks, of each what its row shows. */
export function fleetStates(found: readonly StackStatus[]): readonly WatchedState[] {
  return found.flatMap((status) => {
    const { live, problems, errors } = status;
    const name = stackTitle(status);
    const commit = live?.git_hash ? `, commit ${shortHash(live.git_hash)}` : '';
    const failed = errors.map(({ section, message }) => `${section}: ${message}`);
    const line = (section: string, texts: readonly string[]) =>
      texts.length > 0 ? [{ section, name, state: texts.join(', ') }] : [];
    return [
      ...line('stack', [status.status ?? 'unknown']),
      ...line('live', live ? [`deployment ${live.id}${commit}`] : []),
      ...line('problems', problems),
      ...line('unreadable', failed),
    ];
  });
}
