import { changeEach, type ItemError, itemError } from '../../batch/change-each.ts';
import type { Context, Presentation, Target } from '../../contract/command.ts';
import { integer, many, nullable, oneOf, text } from '../../contract/field.ts';
import { shortHash } from '../../contract/git-hash.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { readBack } from '../../kinds/read-back.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { type Action, actionOf, actionWords } from '../../resources/action.ts';
import { type DeploymentRow, deployments, isDeployment } from '../../resources/deployment.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { itsAction, misfortune, queuedBy } from '../queued-change.ts';
import { outcomeOf } from './words.ts';

/** What became of one deployment. */
const Cancelling = record(
  'cancellation',
  {
    id: integer('Id of the deployment.'),
    change: oneOf(['cancelled', 'queued', 'failed', 'unknown', 'not tried'], 'What was done.'),
    before: text('Its outcome before.'),
    after: nullable(text('Its outcome as seen afterwards.')),
    action: itsAction,
    message: nullable(text('What the service said.')),
    error: itemError,
  },
  ['id', 'change', 'before', 'after'],
);
type Cancelling = RecordOf<typeof Cancelling>;

interface Words {
  readonly stack_id: string;
  readonly deployment_ids: readonly number[];
}

export const cancel = script({
  about: 'Cancel deployments that are under way.',
  params: {
    stack_id: inStack,
    deployment_ids: many(integer('Id of a deployment.'), 'What to cancel.', { label: 'deployment' }),
  },
  positionals: ['deployment_ids'],
  examples: ['stackops deployment cancel 1042 -s shop -y', 'stackops deployment cancel 1042 1043 -s shop -y --wait'],
  calls: [deployments.get, deployments.cancel],
  reply: rows(Cancelling),
  confirm: { level: 'yes', act: 'Cancel deployment', target: describe },
  run: async (context, words) => {
    const twice = words.deployment_ids.filter((id, index, all) => all.indexOf(id) < index);
    if (twice.length > 0) context.warn(`given twice, cancelled once: ${[...new Set(twice)].join(', ')}`);
    const found = await findRunning(context, words);
    return changeEach<DeploymentRow, Cancelling>(context, found, {
      nameOf: ({ id }) => `deployment ${id}`,
      act: (deployment) => cancelOne(context, words.stack_id, deployment),
      undone,
    });
  },
  present: (changes) => ({ kind: 'done', lines: changes.map(lineOf) }) satisfies Presentation,
});

/** All of them, before anything is sent; throws not_found, or rejected for what has ended. */
async function findRunning(context: Context, { stack_id, deployment_ids }: Words): Promise<readonly DeploymentRow[]> {
  const found: DeploymentRow[] = [];
  for (const deployment_id of new Set(deployment_ids)) {
    found.push(await context.call(deployments.get, { stack_id, deployment_id }));
  }
  const ended = found.filter(({ finished_at }) => finished_at);
  if (ended.length === 0) return found;
  const which = ended.map((one) => `deployment ${one.id} has ended already (${outcomeOf(one)})`).join(', ');
  throw new Problem('rejected', `${which}; nothing was cancelled`);
}

async function cancelOne(context: Context, stack_id: string, deployment: DeploymentRow): Promise<Cancelling> {
  const { id } = deployment;
  const place = { stack_id, deployment_id: id };
  const answer = await context.call(deployments.cancel, place);
  const action = queuedBy(answer);
  if (action) return notCancelled(deployment, { change: 'queued', action, error: null });
  const after =
    deploymentIn(answer) ?? (await readBack(context, () => context.call(deployments.get, place), `deployment ${id}`));
  return {
    id,
    change: 'cancelled',
    before: outcomeOf(deployment),
    after: after ? outcomeOf(after) : null,
    message: answer.message ?? null,
    error: null,
  };
}

/** With --wait the answer brings the deployment in which the end was seen. */
function deploymentIn(answer: unknown): DeploymentRow | undefined {
  if (typeof answer !== 'object' || answer === null || !('deployment' in answer)) return undefined;
  return isDeployment(answer.deployment) ? answer.deployment : undefined;
}

function undone(deployment: DeploymentRow, error: ItemError, seen: unknown): Cancelling {
  const after = deploymentIn(seen);
  const row = notCancelled(deployment, { change: misfortune(error), action: actionOf(seen), error });
  return { ...row, after: after ? outcomeOf(after) : null };
}

interface NotCancelled {
  readonly change: Cancelling['change'];
  readonly action: Action | undefined;
  readonly error: ItemError;
}

function notCancelled(deployment: DeploymentRow, { change, action, error }: NotCancelled): Cancelling {
  const before = outcomeOf(deployment);
  return { id: deployment.id, change, before, after: null, ...(action && { action }), message: null, error };
}

function lineOf({ id, change, before, after, action, error }: Cancelling): string {
  if (action) return `Cancellation of deployment ${id} (${before}): ${actionWords(action)}`;
  if (change === 'not tried') return `Deployment ${id} was not tried`;
  if (error) return `Deployment ${id} was not seen to be cancelled (${after ?? before})`;
  if (after === null || after === before) return `Deployment ${id} is being cancelled (${before})`;
  return `Deployment ${id} ${before} -> ${after}`;
}

async function describe(context: Context, words: Words): Promise<Target> {
  const found = await findRunning(context, words);
  const stack = await describeStack(context, words.stack_id);
  const [only] = found;
  if (found.length === 1 && only) return { name: String(only.id), facts: [`of ${stack}`, factsOf(only)] };
  const each = found.map((one) => `${one.id}: ${factsOf(one)}`);
  return { name: found.map(({ id }) => id).join(', '), facts: [[`of ${stack}`, ...each].join('; ')] };
}

function factsOf(deployment: DeploymentRow): string {
  const { git_hash, triggered_by } = deployment;
  const state = deployment.is_deploying ? 'deploying' : outcomeOf(deployment);
  return `${state}, commit ${shortHash(git_hash)}, by ${triggered_by}`;
}
