import { flag, group, instant, integer, nullable, oneOf, optional, text, type ValueOf } from '../contract/field.ts';
import { type InputOf, operation } from '../contract/operation.ts';
import { allowKeywords } from '../contract/params.ts';
import { type RecordOf, type Row, record } from '../contract/record.ts';
import { acknowledgedReply, one, page } from '../contract/reply.ts';
import { isObject, withOriginal } from '../contract/values/json.ts';

function codeField(about: string, choices: readonly string[], meanings: readonly string[] = choices.slice(0, 1)) {
  // `meanings` names the codes from 0, as far as they are known.
  const code = nullable(integer('Code.', { meanings }));
  const meaning = nullable(text('Its meaning.', { choices, open: true }));
  return group({ code, meaning }, about);
}
const outcomeNames = ['pending', 'success', 'failed'];

export const Deployment = record(
  'deployment',
  {
    id: integer('ID of the deployment.'),
    outcome: codeField('Outcome.', [...outcomeNames, 'cancelled'], outcomeNames),
    started_at: instant('Start time.'),
    finished_at: nullable(instant('End time.')),
    git_hash: text('Deployed commit.', { label: 'commit', isCommit: true }),
    git_ref: optional(nullable(text('Deployed branch, tag or commit, where the service sends it.', { label: 'ref' }))),
    triggered_by: text('User who started it.'),
    triggered_via: codeField('Channel that started it.', ['web', 'api', 'hook']),
    deploy_type: codeField('Type of deployment.', ['build', 'redeploy', 'scale', 'first_build', 'revert']),
    is_live: flag('Whether it serves traffic.'),
    is_head: flag('Whether the service calls it the head: the newest one that succeeded.', { label: 'head' }),
    is_deploying: flag('Whether it is in progress.'),
    deploy_session: text('Deployment session.', { label: 'session' }),
    reverted: nullable(flag('Whether it was reverted.')),
    reverted_by: nullable(text('User who reverted it.')),
    reverted_at: nullable(instant('Time of the revert.', { label: 'reverted at' })),
    commit_url: text('URL of the commit.'),
  },
  ['id', 'outcome', 'started_at', 'git_hash', 'triggered_by', 'is_live'],
  { display: withStateAsMeaning },
);

export type DeploymentRow = RecordOf<typeof Deployment>;

export const Redeploy = record(
  'redeploy',
  {
    id: optional(integer('ID of the deployment or of its action.')),
    async_action_id: optional(nullable(integer('ID of the action, where the service sends it.'))),
    message: optional(text('Message of the service.')),
    queued: optional(flag('Whether the deployment is queued.')),
  },
  ['id', 'message', 'queued'],
);

export type RedeployReply = RecordOf<typeof Redeploy>;

/** Number of rows (one page) that are read to find a recent deployment or action. */
export const recentLimit = 30;

const deploymentIdParam = integer('ID of the deployment.', { label: 'deployment', nameKind: 'deployment' });

/** Argument that names a deployment: its ID, `latest` or `live`. */
export const deploymentArgument = allowKeywords(deploymentIdParam, 'latest', 'live');
export type DeploymentArgument = ValueOf<typeof deploymentArgument>;

/** Rollout options. None of them is documented, so each is sent only if the user sets it. */
export const rolloutParams = {
  rollout_strategy: optional(
    oneOf(['none', 'blue_green_immediate', 'blue_green_delayed', 'canary'], 'How it gets traffic.', {
      placeholder: 'type',
    }),
  ),
  canary_percentage: optional(
    integer("A canary's share of traffic, `5` or `5%`.", { range: [0, 100], unit: 'percent', placeholder: 'share' }),
  ),
  deploy_strategy: optional(
    oneOf(['serial', 'parallel', 'rolling', 'fast'], 'Server order.', { placeholder: 'order' }),
  ),
};

const notFoundHints = { listCommand: 'deployment list', missing: 'deployment {deployment_id}' };

export const deployments = {
  list: operation('GET /stacks/:stack_id/deployments', { reply: page(Deployment) }),
  get: operation('GET /stacks/:stack_id/deployments/:deployment_id', {
    params: { deployment_id: deploymentIdParam },
    reply: one(Deployment),
    idParam: 'deployment_id',
    ...notFoundHints,
  }),
  create: operation('POST /stacks/:stack_id/deployments', {
    scope: 'redeploy',
    about: 'Deploy a stack again.',
    params: {
      git_ref: optional(text('Branch, tag or commit; not for container stacks.', { placeholder: 'ref' })),
      services: optional(text('`service:image_tag,…`; for container stacks.', { placeholder: 'pairs' })),
      deployment_profile: optional(text('Deployment profile.', { placeholder: 'name' })),
      user_reference: optional(
        text('Your own reference, saved with the action.', { maxLength: 255, placeholder: 'text', sensitive: true }),
      ),
      ...rolloutParams,
    },
    reply: one(Redeploy, ['id', 'async_action_id', 'queued']),
    queues: true,
    check: notFoundHints.listCommand,
    undocumented: 'A JSON body, the strategies, and that `id` may be of the action.',
  }),
  cancel: operation('DELETE /stacks/:stack_id/deployments/:deployment_id', {
    scope: 'redeploy',
    about: 'Cancel a deployment in progress.',
    params: { deployment_id: deploymentIdParam },
    reply: acknowledgedReply,
    check: 'deployment get {deployment_id}',
    undocumented: 'The outcome of a cancelled deployment. The sandbox shows code 3, cancelled.',
    ...notFoundHints,
  }),
};

export type DeploymentRequest = InputOf<typeof deployments.create>;

/** True for the record of a deployment. No other record has an outcome. */
export function isDeployment(value: unknown): value is DeploymentRow {
  return isObject(value) && 'outcome' in value;
}

interface DeploymentProgress {
  readonly outcome?: { readonly code: number | null; readonly meaning: string | null } | null;
  readonly finished_at?: string | null;
  readonly is_deploying?: boolean;
}

export function hasSucceeded(deployment: DeploymentProgress): boolean {
  return Boolean(deployment.finished_at) && outcomeOf(deployment) === 'success';
}

/** True if the deployment has ended and has neither succeeded nor been cancelled. False if it has no outcome. */
export function hasFailed(deployment: DeploymentProgress): boolean {
  return Boolean(deployment.finished_at) && !['success', 'cancelled', 'unknown'].includes(outcomeOf(deployment));
}

/** Returns the outcome, such as `success`. If it is missing: `unknown` for an ended deployment, else `queued`. */
export function outcomeOf({ outcome, finished_at }: DeploymentProgress): string {
  const { code, meaning } = outcome ?? {};
  if (code == null && meaning == null) return finished_at ? 'unknown' : 'queued';
  return meaning ?? outcomeNames[code ?? -1] ?? `outcome ${code}`;
}

/** Returns `deploying` if the service marks the deployment as deploying, else its outcome. */
export function stateText(deployment: DeploymentProgress): string {
  return deployment.is_deploying ? 'deploying' : outcomeOf(deployment);
}

function withStateAsMeaning(row: Row): Row {
  const deployment: DeploymentProgress = row;
  const meaning = stateText(deployment);
  if (deployment.outcome?.meaning === meaning) return row;
  return withOriginal({ ...row, outcome: { ...deployment.outcome, meaning } }, row);
}

/** Returns the successful deployments that are older than the given deployment, newest first. */
export function successesBefore(rows: readonly DeploymentRow[], { id }: DeploymentRow): readonly DeploymentRow[] {
  return newestFirst(rows.filter((one) => one.id < id && hasSucceeded(one)));
}

export function newestFirst(rows: readonly DeploymentRow[]): readonly DeploymentRow[] {
  return rows.toSorted((one, other) => Number(other.id) - Number(one.id));
}

export function liveDeploymentIn(rows: readonly DeploymentRow[] = []): DeploymentRow | undefined {
  return newestFirst(rows).find(({ is_live }) => is_live);
}

/** True if the deployment has not finished. False for a record without an outcome. */
export function isUnfinished({ finished_at, outcome }: DeploymentRow): boolean {
  return outcome !== undefined && !finished_at;
}

/** True if the deployment has not finished, or if the service marks it as deploying. */
export function isInProgress(row: DeploymentRow): boolean {
  return row.is_deploying || isUnfinished(row);
}
