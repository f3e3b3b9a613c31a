import type { HeldDeployment, HeldStack, StoredDeployment, StoredVariant } from '../state.ts';

/** A version beside the live one that is not a preview. */
export function isRollout({ variant_type }: StoredVariant): boolean {
  return variant_type !== 'active' && variant_type !== 'preview';
}

/** The active variant shows the commit of the deployment. A rollout that had all traffic loses it. */
export function replaceLive(stack: HeldStack, deployment: StoredDeployment): void {
  for (const variant of stack.variants) {
    if (variant.variant_type === 'active') variant.git_hash = deployment.git_hash;
    else if (variant.percentage === 100) variant.percentage = 0;
  }
  setLive(stack, deployment);
}

function setLive({ deployments }: HeldStack, deployment: StoredDeployment): void {
  for (const { row } of deployments) row.is_live = row === deployment;
}

/** The variant becomes active and replaces the old one. Its deployment, if the stack has one, is live. */
export function commitRollout(stack: HeldStack, variant: StoredVariant): void {
  stack.variants = stack.variants.filter(({ variant_type }) => variant_type !== 'active');
  Object.assign(variant, { variant_type: 'active', percentage: 100 });
  const built = ({ row, phase }: HeldDeployment) => phase === 'done' && row.git_hash === variant.git_hash;
  const deployment = stack.deployments.findLast(built);
  if (deployment) setLive(stack, deployment.row);
}

/** Adds the variant of a deployment, which is live if it gets all traffic. An earlier rollout without traffic makes room. */
export function addRollout(
  stack: HeldStack,
  deployment: StoredDeployment,
  rollout: NonNullable<HeldDeployment['rollout']>,
): void {
  const { id, git_hash, finished_at } = deployment;
  const created_at = finished_at ?? '';
  stack.variants = stack.variants.filter((variant) => !isRollout(variant) || variant.percentage > 0);
  stack.variants.push({ id, uid: `va-${id}`, git_hash, created_at, ...rollout });
  if (rollout.percentage === 100) setLive(stack, deployment);
}
