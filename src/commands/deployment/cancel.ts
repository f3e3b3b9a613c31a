import { changeRecord, linesOf, verbs } from '../../builders/execute/summary.ts';
import { onlyRowOf } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { integer, many, optional, text } from '../../contract/field.ts';
import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { stackParam } from '../../contract/params.ts';
import type { Change, ObservedChange, Plan, Step } from '../../contract/plan.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { isObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { actionInReply, isSuccessful } from '../../resources/action.ts';
import {
  type DeploymentArgument,
  type DeploymentRow,
  deploymentArgument,
  deployments,
  isDeployment,
  isInProgress,
  outcomeOf,
  recentLimit,
  stateText,
} from '../../resources/deployment.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { deploymentIdOf, readDeployment } from './get.ts';
import { commitText } from './summary.ts';
import { watchDeployment } from './watch.ts';

export const deploymentCancel = write({
  about: 'Cancel deployments in progress.',
  params: {
    stack_id: stackParam,
    deployment_ids: optional(
      many(deploymentArgument, 'Deployments to cancel (default: the only one in progress).', { label: 'deployment' }),
    ),
  },
  positionals: ['deployment_ids'],
  examples: ['stackops deployment cancel 1042 -s shop -y', 'stackops deployment cancel 1042 1043 -s shop -y --wait'],
  calls: [deployments.list, deployments.get, deployments.cancel],
  record: changeRecord(
    { id: integer('ID of the deployment.') },
    { before: text('Outcome before.'), after: text('Latest known outcome.') },
  ),
  printsList: true,
  confirm: { level: 'yes', act: 'Cancel deployment' },
  plan: async (context, { stack_id, deployment_ids }): Promise<Plan> => {
    const targets = deployment_ids
      ? await readNamedDeployments(context, stack_id, deployment_ids)
      : [await findOnlyInProgress(context, stack_id)];
    const unfinishedTargets = targets.filter(({ finished_at }) => !finished_at);
    const steps = targets.map((target): Step => {
      const { id } = target;
      return {
        id: { id },
        name: `deployment ${id}`,
        change: 'queued',
        before: stateText(target),
        isIdle: Boolean(target.finished_at),
        send: () => context.call(deployments.cancel, { stack_id, deployment_id: id }, { observer: cancelObserver }),
        done: observedIn,
        unfinished: (record) => ({ after: observedIn(record).after }),
      };
    });
    return {
      steps,
      sendsRest: true,
      finish: (changes) => Promise.all(changes.map((change) => withOutcome(context, stack_id, change))),
      ask: {
        name: unfinishedTargets.map(({ id }) => id).join(', '),
        details: async () => {
          const stackText = `of ${await readStackTitle(context, stack_id)}`;
          if (unfinishedTargets.length === 1) return [stackText, ...unfinishedTargets.map(deploymentText)];
          return [[stackText, ...unfinishedTargets.map((one) => `${one.id}: ${deploymentText(one)}`)].join('; ')];
        },
      },
      summarize: (changes) => ({
        lines: linesOf(steps, changes, {
          verb: verbs.cancel,
          details: ({ before, after }) => [after === null || after === before ? `${before}` : `${before} -> ${after}`],
        }),
      }),
    };
  },
});

async function readNamedDeployments(context: Context, stack_id: string, args: readonly DeploymentArgument[]) {
  const ids = new Set(await Promise.all(args.map((one) => deploymentIdOf(context, stack_id, one))));
  const rows = await Promise.all([...ids].map((deployment_id) => readDeployment(context, { stack_id, deployment_id })));
  if (rows.some(({ finished_at }) => !finished_at)) return rows;
  const message = rows.map((one) => `deployment ${one.id} has already finished (${outcomeOf(one)})`).join(', ');
  throw new CliError('rejected', message, { nothing: 'changed' });
}

async function findOnlyInProgress(context: Context, stack_id: string): Promise<DeploymentRow> {
  const rows = await context.call(deployments.list, { stack_id }, { limit: recentLimit });
  const runningRows = rows.filter(isInProgress);
  const name = runningRows.length > 0 ? 'deployment' : 'deployment in progress';
  return onlyRowOf(runningRows, { name, idOf: ({ id }) => id, hint: { path: 'deployment list', stack_id } });
}

function deploymentState(row: DeploymentRow): Pick<Change, 'after'> & ObservedChange {
  return { ...(row.finished_at && { change: 'cancelled' }), after: stateText(row) };
}

/** Only with --wait does the reply hold the deployment, which has then finished. */
function observedIn(reply: unknown): Pick<Change, 'after'> & ObservedChange {
  return isObject(reply) && isDeployment(reply['deployment']) ? deploymentState(reply['deployment']) : { after: null };
}

async function withOutcome(context: Context, stack_id: string, change: Change): Promise<Change> {
  const action = actionInReply(change.action);
  const isActionUnderWay = action !== undefined && !isSuccessful(action);
  if (change.change !== 'queued' || change.after !== null || change.error !== null || isActionUnderWay) return change;
  // The response said only that the cancellation is accepted, so the deployment is read.
  const deployment_id = Number(change['id']);
  return { ...change, ...deploymentState(await context.call(deployments.get, { stack_id, deployment_id })) };
}

/** Observes a cancellation until the deployment has finished. A deployment that succeeded was not cancelled. */
const cancelObserver: Observer<InputOf<typeof deployments.cancel>, undefined, Acknowledgement> = {
  watch: (read, target, { answer }) => {
    const { check, ...watch } = watchDeployment(read, target);
    return {
      ...watch,
      name: `the cancellation of deployment ${target.deployment_id}`,
      check: async () => {
        const status = await check();
        const value = { ...answer, deployment: status.value };
        if (status.state === 'good') return { state: 'failed', text: 'it had already succeeded', value };
        return { ...status, value, state: status.state === 'failed' ? 'good' : status.state };
      },
    };
  },
};

function deploymentText(deployment: DeploymentRow): string {
  const { git_hash, triggered_by } = deployment;
  return `${stateText(deployment)}, ${commitText(git_hash)}${triggered_by ? `, by ${triggered_by}` : ''}`;
}
