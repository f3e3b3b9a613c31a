import type { Context } from '../../../contract/command.ts';
import type { Exit } from '../../../contract/facts.ts';
import { flag, integer, nullable, optional, text } from '../../../contract/field.ts';
import type { Plan } from '../../../contract/plan.ts';
import type { RecordType } from '../../../contract/record.ts';
import { changeRecord } from '../../../kinds/perform/summary.ts';
import { readOrUndefined } from '../../../problems/unreadable.ts';
import { deployments, recent } from '../../../resources/deployment.ts';
import { variableChangeRecord } from '../variable/variable-change.ts';

export const redeployField = optional(flag('Redeploy once, after all changes succeeded.'));

/** With --redeploy each change is waited for. */
export const redeployExits: readonly Exit[] = [
  [8, 'with --wait or --redeploy: not finished in time, or result not seen'],
  [9, 'with --wait or --redeploy: the operation failed'],
];

/** What --redeploy calls. */
export const redeployCalls = [deployments.list, deployments.create];

/** The record of a changed variable, or of the deployment that follows. As rows it has the columns of a variable. */
export const redeployedRecord: RecordType = {
  ...changeRecord(
    {
      key: optional(text('Name of the environment variable.')),
      id: optional(nullable(integer('ID of the deployment, with --redeploy.'))),
    },
    { before: text('Its value; `***` for a secret.') },
  ),
  columns: variableChangeRecord.columns,
};

/** One deployment of the stack with its configured branch. */
export async function planRedeploy(context: Context, stack_id: string): Promise<Plan> {
  const { planDeployment } = await import('../../deployment/plan.ts');
  const known = await readOrUndefined(context.call(deployments.list, { stack_id }, { limit: recent }));
  return planDeployment(context, { request: { stack_id }, known, facts: () => [] });
}
