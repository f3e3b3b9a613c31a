import { customCommand } from '../../builders/custom-command.ts';
import type { Context } from '../../contract/command.ts';
import { flag, optional, text, type Values } from '../../contract/field.ts';
import type { Watch } from '../../contract/observe.ts';
import { stackParam } from '../../contract/params.ts';
import { CliError } from '../../errors/cli-error.ts';
import {
  type DeploymentArgument,
  type DeploymentRow,
  deploymentArgument,
  deployments,
  hasSucceeded,
  liveDeploymentIn,
  newestFirst,
  recentLimit,
} from '../../resources/deployment.ts';
import { watchWithFirstStatus } from '../../writes/wait/action.ts';
import { deploymentLine } from './summary.ts';
import { deploymentStatus, watchCommit, watchDeployment, watchExpected, withFailureCause } from './watch.ts';

const getParams = { stack_id: stackParam, deployment_id: deploymentArgument };

export const deploymentGet = customCommand({
  about: deployments.get.about,
  params: getParams,
  positionals: ['deployment_id'],
  examples: ['stackops deployment get 1041 -s shop', 'stackops deployment get latest -s shop --json --fields outcome'],
  calls: [deployments.list, deployments.get],
  reply: deployments.get.reply,
  isRead: true,
  run: readDeployment,
});

/** Reads the deployment with an ID, or the latest or live deployment. Throws `not_found` if there is no such one. */
export async function readDeployment(context: Context, input: Values<typeof getParams>): Promise<DeploymentRow> {
  const { stack_id } = input;
  const deployment_id = await deploymentIdOf(context, stack_id, input.deployment_id);
  return context.call(deployments.get, { stack_id, deployment_id });
}

/** Returns a numeric argument itself, else the ID of the latest or live deployment. Throws like `findLatestOrLive`. */
export async function deploymentIdOf(context: Context, stack_id: string, arg: DeploymentArgument): Promise<number> {
  if (typeof arg === 'number') return arg;
  const rows = await context.call(deployments.list, { stack_id }, { limit: recentLimit });
  return findLatestOrLive(arg, rows, stack_id).id;
}

/** Returns the newest or the live deployment of `rows`. Throws `not_found` if there is none. See also `liveAmong`. */
export function findLatestOrLive(word: 'latest' | 'live', rows: readonly DeploymentRow[], stack_id: string) {
  const deployment = word === 'latest' ? newestFirst(rows)[0] : liveAmong(rows);
  if (deployment) return deployment;
  const message = rows.length > 0 ? `none of the newest ${rows.length} deployments is live` : 'no deployment';
  throw new CliError('not_found', message, { hint: { path: 'deployment list', stack_id } });
}

/** Returns the live deployment of `rows`; undefined for none. Throws `unavailable` if rows do not show what is live. */
export function liveAmong(rows: readonly DeploymentRow[]): DeploymentRow | undefined {
  const live = liveDeploymentIn(rows);
  if (live || rows.every(({ is_live }) => typeof is_live === 'boolean')) return live;
  throw new CliError('unavailable', 'the service does not show which deployment is live (no is_live)');
}

const waitParams = {
  stack_id: stackParam,
  deployment_id: optional(deploymentArgument),
  commit: optional(text('Newest deployment of this commit, once it appears.', { placeholder: 'sha' })),
  live: optional(flag('Wait until the deployment is live.')),
};
type WaitInput = Values<typeof waitParams>;

export const deploymentWait = customCommand({
  about: 'Wait until a deployment has ended.',
  params: waitParams,
  positionals: ['deployment_id'],
  examples: [
    'stackops deployment wait 1042 -s shop',
    'stackops deployment wait 1042 -s shop --wait-timeout 20m --json',
    'stackops deployment wait --commit d8b847d --live -s shop',
  ],
  calls: [deployments.list, deployments.get],
  output: { kind: 'change', reply: deployments.get.reply },
  wait: 'always',
  run: async (context, input) => {
    const watch = await createWaitWatch(context, input);
    return (await withFailureCause(context, input.stack_id, context.follow(watch))) as DeploymentRow;
  },
  present: (deployment, { live }) => {
    const line = `${deploymentLine(deployment)}${live && deployment.is_live ? ', live' : ''}`;
    // The error of a failed deployment already says everything, so no line is printed.
    const hasError = deployment.finished_at && !hasSucceeded(deployment);
    return { kind: 'done', lines: hasError ? [] : [line] };
  },
});

async function createWaitWatch(context: Context, input: WaitInput): Promise<Watch> {
  const watch = await watchUntilEnded(context, input);
  if (!input.live) return watch;
  const { resume } = watch;
  return {
    ...watchExpected(context.call, { stack_id: input.stack_id, reads: Infinity }, watch),
    resume: resume && { ...resume, flags: [...(resume.flags ?? []), '--live'] },
  };
}

async function watchUntilEnded(context: Context, { stack_id, deployment_id, commit }: WaitInput): Promise<Watch> {
  if (commit !== undefined) {
    if (deployment_id !== undefined) throw new CliError('usage', 'use a deployment or --commit, not both');
    return watchCommit(context.call, stack_id, checkedCommit(commit));
  }
  if (deployment_id === undefined) {
    throw new CliError('usage', 'missing argument <deployment>: give an ID, latest, live or --commit');
  }
  // The deployment is read at once, so that a mistyped ID is an error before the watch.
  const deployment = await readDeployment(context, { stack_id, deployment_id });
  const target = { stack_id, deployment_id: deployment.id };
  return watchWithFirstStatus(deploymentStatus(deployment), watchDeployment(context.call, target));
}

function checkedCommit(commit: string): string {
  // Fewer digits could match another commit, so they are refused.
  if (/^[0-9a-f]{7,64}$/i.test(commit)) return commit.toLowerCase();
  throw new CliError('usage', `--commit must be at least 7 hexadecimal digits, not "${commit}"`);
}
