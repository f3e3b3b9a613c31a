import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { flag, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import type { Plan } from '../../contract/plan.ts';
import { once } from '../../contract/values/once.ts';
import { isSameCommit, shortHash } from '../../contract/values/text.ts';
import { CliError, readOrUndefined, refusedChangeError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  hasFailed,
  newestFirst,
  recentLimit,
  rolloutParams,
} from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { type StackRow, stacks, titleOf } from '../../resources/stack.ts';
import { requireEnvFlag } from './create.ts';
import { liveAmong } from './get.ts';
import { deployChangeRecord, ifBusyFlag, planDeployment, readBusyState, refuseContainerStackRow } from './plan.ts';
import { commitText, compareUrls, refuseShareWithoutCanary } from './summary.ts';

const { git_ref: _, services: __, ...redeployParams } = deployments.create.params;

const params = {
  from: text('Stack whose live commit is deployed.', { nameKind: 'stack', placeholder: 'stack' }),
  to: optional(text('Stack to deploy it in (default: that of -s).', { nameKind: 'stack', placeholder: 'stack' })),
  check_env: optional(flag('Refuse if the target lacks a variable of --from.')),
  allow_failed: optional(flag('Accept that the last deployment of --from failed.')),
  ...redeployParams,
  stack_id: optional(stackParam),
  if_busy: ifBusyFlag,
  require_env: requireEnvFlag,
};

export const deploymentPromote = write({
  about: 'Deploy the live commit of another stack.',
  params,
  examples: [
    'stackops deployment promote --from blog/staging --to blog/production --check-env -y --wait',
    'stackops deployment promote --from blog/staging -s blog/production --allow-failed -y',
  ],
  calls: [stacks.list, deployments.list, stacks.get, actions.list, environments.list, deployments.create],
  exits: [
    [3, 'not found or ambiguous: stack'],
    [6, 'nothing sent: already live, --from failed, busy, or a variable is missing'],
    [8, 'with --wait: not finished in time; else no response, probably started'],
  ],
  record: deployChangeRecord(rolloutParams),
  confirm: { level: 'yes', act: 'Promote to stack' },
  plan: planPromotion,
});

async function planPromotion(context: Context, input: Values<typeof params>): Promise<Plan> {
  const { from, to, check_env, allow_failed, if_busy, require_env, ...options } = input;
  const { listStacks, settings } = context.host;
  refuseShareWithoutCanary(options);
  if (to !== undefined && settings.get('stack').origin.kind === 'flag')
    throw new CliError('usage', 'use --to or -s, not both');
  const stack_id = String(await context.resolveTarget(stackParam, to));
  const from_id = String(await context.resolveTarget(stackParam, from));
  if (from_id === stack_id)
    throw new CliError('usage', '--from is the stack to deploy in; give another', { hint: { path: 'stack list' } });
  const [stackRows = [], sourceRows, busySigns] = await Promise.all([
    listStacks(),
    context.call(deployments.list, { stack_id: from_id }, { limit: recentLimit }),
    readBusyState(context, stack_id, if_busy),
  ]);
  const findRow = (id: string) => stackRows.find(({ uid }) => uid === id);
  refuseContainerStackRow(findRow(stack_id), containerHint);
  const source = sideOf(from_id, findRow(from_id), sourceRows);
  const target = sideOf(stack_id, findRow(stack_id), busySigns.deployments);
  const live = findPromotable(source, target, allow_failed);
  refuseOtherRepository(context, source, target);
  const { findMissingKeys, requireVariables } = await import('../env/check.ts');
  // The check and the question use the same read.
  const readMissingTexts = once(async () => {
    const keys = await findMissingKeys(context, stack_id, from_id);
    return keys.length > 0 ? [`${keys.length} variable${keys.length > 1 ? 's' : ''} missing: ${keys.join(', ')}`] : [];
  });
  const [missingText] = check_env ? await readMissingTexts() : [];
  if (missingText !== undefined) {
    const hint = { path: 'stack env check', flags: ['--with-stack', source.title], stack_id };
    throw refusedChangeError(`${target.title}: ${missingText}`, hint);
  }
  if (require_env !== undefined) await requireVariables(context, stack_id, require_env);
  return planDeployment(context, {
    request: { ...options, stack_id, git_ref: live.git_hash },
    busySigns,
    if_busy,
    act: `Promote ${source.title} to`,
    title: target.title,
    details: async () => [
      ...differenceTexts(live, target.live, sourceRows),
      ...((await readOrUndefined(readMissingTexts())) ?? ['variables not compared']),
      ...(options.deploy_strategy ? [`deploy strategy ${options.deploy_strategy}`] : []),
    ],
    containerHint,
  });
}

const containerHint = 'to promote between container stacks, deploy the image tags with stackops redeploy --services';

type PromotionSide = ReturnType<typeof sideOf>;

function sideOf(id: string, stack: StackRow | undefined, rows: readonly DeploymentRow[] = []) {
  return { id, title: stack ? titleOf(stack) : id, git: stack?.git, rows, live: liveAmong(rows) };
}

/** Returns the live deployment of `source`. Throws `rejected` if it cannot be deployed in `target`. */
function findPromotable(source: PromotionSide, target: PromotionSide, allowFailed = false): DeploymentRow {
  const { title, live, rows } = source;
  if (!live) {
    const noneText = rows.length < recentLimit ? 'nothing' : `none of the newest ${rows.length} deployments`;
    throw refusedChangeError(`${noneText} is live in ${title}`, { path: 'deployment list', stack_id: source.id });
  }
  if (!live.git_hash) throw refusedChangeError(`what is live in ${title} shows no commit`, containerHint);
  const liveText = commitText(live.git_hash);
  const lastFinished = newestFirst(rows).find(({ finished_at }) => finished_at);
  if (lastFinished && hasFailed(lastFinished) && !allowFailed) {
    throw new CliError('rejected', `deployment ${lastFinished.id}, the last one of ${title}, failed`, {
      nothing: 'sent',
      lines: [`--allow-failed promotes what is live there all the same: deployment ${live.id}, ${liveText}`],
      hint: { path: 'deployment get', operands: [String(lastFinished.id)], stack_id: source.id },
    });
  }
  if (!isSameCommit(live.git_hash, target.live?.git_hash)) return live;
  const hint = { path: 'deployment list', stack_id: target.id };
  throw refusedChangeError(`${liveText} is live in ${target.title} already`, hint);
}

/** Throws `rejected` for different repositories. Unless both stacks show one, those of the live deployments count. */
function refuseOtherRepository({ warn }: Context, source: PromotionSide, target: PromotionSide): void {
  const sides = [source, target];
  const fromStacks = sides.flatMap(({ git }) => git || []);
  const fromCommits = sides.flatMap(({ live }) => live?.commit_url?.replace(/(\/-)?\/commits?\/[^/]*$/, '') || []);
  const addresses = [fromStacks, fromCommits].find(({ length }) => length === sides.length);
  if (!addresses) warn('not checked whether both stacks deploy one repository: not shown by the service');
  const [sourceName, targetName] = addresses?.map(repositoryName) ?? [];
  if (sourceName === targetName) return;
  const message = `${source.title} deploys ${sourceName}, ${target.title} deploys ${targetName}`;
  throw refusedChangeError(message, { path: 'stack list', flags: ['--fields', 'name,environment,git'] });
}

function repositoryName(address: string): string {
  // `git@host:path.git`, `ssh://git@host/path` and `https://user:password@host/path` become the same name.
  return address
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^/]*@/, '')
    .replace(':', '/')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase();
}

/** Returns `commit 33d486f -> 2ad3480`, a link that compares the commits, and how many deployed commits are between. */
function differenceTexts(live: DeploymentRow, replaced: DeploymentRow | undefined, rows: readonly DeploymentRow[]) {
  const startRow = rows.find(({ git_hash }) => isSameCommit(git_hash, replaced?.git_hash));
  const hashes = rows.filter(({ id }) => startRow && id > startRow.id && id < live.id).map(({ git_hash }) => git_hash);
  const commits = new Set(hashes.filter((hash) => hash && !isSameCommit(hash, live.git_hash)));
  return [
    `${replaced ? commitText(replaced.git_hash) : 'nothing is live'} -> ${shortHash(live.git_hash)}`,
    ...compareUrls(live, replaced),
    ...(commits.size > 0 ? [`${commits.size} commit${commits.size === 1 ? '' : 's'} in between`] : []),
  ];
}
