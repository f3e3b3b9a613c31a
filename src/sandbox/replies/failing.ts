import type { State } from '../state.ts';

/** Makes actions from this ID on fail, with their deployments. */
export function letFail({ stacks, clusters }: State, firstAction: number): void {
  for (const action of [...stacks, ...clusters].flatMap((holder) => holder.actions)) {
    if (action.row.id !== null && action.row.id >= firstAction) action.fails = true;
  }
  for (const deployment of stacks.flatMap((stack) => stack.deployments)) {
    if (deployment.action !== undefined && deployment.action >= firstAction) deployment.fails = true;
  }
}
