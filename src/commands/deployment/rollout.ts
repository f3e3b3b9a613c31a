import type { CommandLine } from '../../contract/command-line.ts';
import type { Summary } from '../../contract/plan.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRequest, strategies } from '../../resources/deployment.ts';

/** The strategies that were asked for, by their names. */
export function requestedStrategies(request: DeploymentRequest): Partial<DeploymentRequest> {
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => name in strategies && value !== undefined),
  );
}

/** Throws usage for a share of traffic without a canary. */
export function refuseShareAlone({ rollout_strategy: rollout, canary_percentage: share }: DeploymentRequest): void {
  if (share === undefined || rollout === 'canary') return;
  throw new Problem('usage', '--canary-percentage needs --rollout-strategy canary; nothing was sent', {
    retry: rollout
      ? { meant: { given: rollout, by: 'canary', at: '--rollout-strategy' } }
      : { with: ['--rollout-strategy', 'canary'] },
  });
}

/** `a canary with 5 % of the traffic`; undefined for a deployment that replaces the live version at once. */
export function rolloutText({ rollout_strategy, canary_percentage: share }: DeploymentRequest): string | undefined {
  switch (rollout_strategy) {
    case 'canary':
      return share === undefined ? 'a canary' : `a canary with ${share} % of the traffic`;
    case 'blue_green_immediate':
      return 'an immediate blue-green deployment';
    case 'blue_green_delayed':
      return 'a delayed blue-green deployment';
    default:
      return undefined;
  }
}

/** A version that leaves the live one in its place until it is committed. */
export function staysBeside({ rollout_strategy: rollout }: DeploymentRequest): boolean {
  return rollout === 'canary' || rollout === 'blue_green_delayed';
}

/** Takes the traffic away from a canary that has been deployed; nothing else can be taken back here. */
export function withoutTraffic({ stack_id, rollout_strategy }: DeploymentRequest): readonly CommandLine[] {
  return rollout_strategy === 'canary' ? [{ path: 'variant weight', operands: ['canary', '0'], stack_id }] : [];
}

/** How a rollout that has been deployed becomes the active version. */
export function commitLater({ stack_id, rollout_strategy }: DeploymentRequest): NonNullable<Summary['next']> {
  const variant = rollout_strategy === 'canary' ? 'canary' : 'blue-green';
  const command = [{ path: 'variant commit', operands: [variant], stack_id }];
  return { about: 'make it the active version', command };
}

/** What to do about a refusal, where a strategy may be the cause: the service documents none of them. */
export function strategyHint(request: DeploymentRequest, { details: { status } }: Problem): string | undefined {
  const given = Object.keys(requestedStrategies(request)).map((name) => `--${name.replaceAll('_', '-')}`);
  if (given.length === 0 || (status !== 400 && status !== 404)) return undefined;
  return `if this service does not support strategies, leave out ${given.join(' and ')}`;
}
