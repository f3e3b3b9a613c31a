import { inSentences } from '../../builders/execute/change-each.ts';
import { checkForMs } from '../../builders/execute/send.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Observer, ProbableMatch, type Read, type Watch, type WatchStatus } from '../../contract/observe.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import {
  type Action,
  actionInReply,
  actions,
  createAction,
  isAction,
  userReferenceIn,
} from '../../resources/action.ts';
import {
  type DeploymentRequest,
  type DeploymentRow,
  deployments,
  hasSucceeded,
  liveDeploymentIn,
  type RedeployReply,
  recentLimit,
} from '../../resources/deployment.ts';
import { createActionWatch } from '../../writes/wait/action.ts';
import {
  type CandidateSearch,
  type EarlierIds,
  findCandidateRows,
  highestId,
  isOtherChannel,
  mayBeRequested,
  onlyDeployment,
  userNameReader,
} from './own-deployment.ts';
import { keepsLiveVersion } from './summary.ts';
import { agreeingReadCount, deploymentStatus, liveSentence, waitCommand, watchExpected } from './watch.ts';

interface SentRequest {
  readonly earlierIds: EarlierIds;
  readonly answer: RedeployReply;
}

/** The watch of a requested deployment. It reads the action while the action runs, then the deployment. */
class DeployRequestWatch implements Watch {
  readonly #read: Read;
  readonly #request: DeploymentRequest;
  readonly #answer: RedeployReply;
  readonly #search: CandidateSearch;
  /** The `id` in the reply, of the deployment or of its action. Undefined if another field names the action. */
  readonly #replyId: number | undefined;
  /** ID of the action; undefined if it is unknown, or once the deployment itself is followed. */
  #actionId: number | undefined;
  #user: string | undefined;
  #candidates: readonly DeploymentRow[] = [];
  #followedId: number | undefined;
  /** Number of reads that did not show the deployment after the action had succeeded. */
  #misses = 0;

  constructor(read: Read, request: DeploymentRequest, { earlierIds, answer }: SentRequest) {
    this.#read = read;
    this.#request = request;
    this.#answer = answer;
    this.#actionId = actionInReply(answer)?.id ?? undefined;
    this.#replyId = 'async_action_id' in answer || this.#actionId !== undefined ? undefined : answer.id;
    const readUserName = userNameReader(read);
    this.#search = { earlierIds, readUserName: async () => this.#user ?? readUserName() };
  }

  get #shownId(): number | undefined {
    return onlyDeployment(this.#candidates)?.id ?? this.#replyId;
  }

  get name(): string {
    return this.#shownId === undefined ? 'the deployment' : `deployment ${this.#shownId}`;
  }

  get resume(): CommandLine {
    const { stack_id } = this.#request;
    return this.#shownId === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, this.#shownId);
  }

  async check(): Promise<WatchStatus> {
    const actionStatus = this.#actionId === undefined ? undefined : await this.#statusOfAction(this.#actionId);
    const isActionShown = actionStatus !== undefined && actionStatus.state !== 'unseen';
    const status = await (isActionShown ? this.#statusByAction(actionStatus) : this.#statusByDeployment());
    return { ...status, resume: this.resume };
  }

  async #statusOfAction(id: number): Promise<WatchStatus> {
    const { stack_id } = this.#request;
    const status = await createActionWatch(this.#read, { stack_id, id }, createAction({ id })).check();
    if (isAction(status.value)) this.#user = status.value.user;
    return status;
  }

  async #statusByAction(actionStatus: WatchStatus): Promise<WatchStatus> {
    if (actionStatus.state === 'failed') return actionStatus;
    const hasActionSucceeded = actionStatus.state === 'good';
    const rowBefore = onlyDeployment(this.#candidates);
    const isRowOutdated = rowBefore && actionStatus.text === 'started' && deploymentStatus(rowBefore).text === 'queued';
    if (hasActionSucceeded || isRowOutdated || this.#candidates.length === 0) await this.#findCandidates();
    const row = onlyDeployment(this.#candidates);
    if (!hasActionSucceeded) {
      const rowStatus = row && deploymentStatus(row);
      return rowStatus?.state === 'running' ? rowStatus : actionStatus;
    }
    // The action succeeded, so a deployment that did not succeed cannot be its deployment.
    const deployment = row ?? onlyDeployment(this.#candidates.filter(hasSucceeded));
    return deployment ? this.#follow(deployment) : this.#statusWithoutDeployment(actionStatus);
  }

  /** Returns the status after the action succeeded, while it is unknown which deployment it started. */
  async #statusWithoutDeployment(actionStatus: WatchStatus): Promise<WatchStatus> {
    const ids = this.#candidates.map(({ id }) => id).toReversed();
    const missingText =
      ids.length > 1 ? `which of ${ids.join(', ')} it started is not shown` : 'no new deployment is shown';
    this.#misses += 1;
    if (this.#misses < agreeingReadCount)
      return { ...actionStatus, state: 'running', text: `succeeded, but ${missingText}` };
    const { stack_id } = this.#request;
    const rows = await readOrUndefined(this.#read(deployments.list, { stack_id }, { limit: recentLimit }));
    const successText = `action ${this.#actionId} succeeded, but ${missingText}`;
    const fault = inSentences([successText, ...liveSentence(liveDeploymentIn(rows), undefined)]);
    return { ...actionStatus, state: 'unknown', fault };
  }

  async #statusByDeployment(): Promise<WatchStatus> {
    const row = await this.#findDeployment();
    if (row) return this.#follow(row);
    const actionId = this.#actionId ?? this.#replyId;
    const value = this.#answer;
    if (actionId === undefined && !this.#search.earlierIds) {
      return { state: 'unseen', text: 'the deployments before it could not be read', value };
    }
    // The action may have failed before a deployment started, so the action is read too.
    const actionStatus = actionId === undefined ? undefined : await this.#statusOfAction(actionId);
    if (actionStatus?.state === 'failed') return actionStatus;
    if (this.#candidates.length === 0) return { state: 'running', text: 'queued', value };
    const ids = this.#candidates.map(({ id }) => id).toReversed();
    const haveAllEnded = this.#candidates.every(({ finished_at }) => finished_at);
    return { state: haveAllEnded ? 'unseen' : 'running', text: `which of ${ids.join(', ')} it is is not shown`, value };
  }

  async #findDeployment(): Promise<DeploymentRow | undefined> {
    const followsReplyId = this.#followedId === this.#replyId;
    if (this.#followedId !== undefined) {
      const row = await this.#readDeployment(this.#followedId);
      if (row && (followsReplyId || (await mayBeRequested(row, this.#request.git_ref, this.#search.readUserName))))
        return row;
    }
    const isNewId = this.#replyId !== undefined && this.#replyId > highestId(this.#search.earlierIds ?? []);
    const row = isNewId && !followsReplyId ? await this.#readDeployment(this.#replyId) : undefined;
    if (row && !isOtherChannel(row)) return row;
    await this.#findCandidates();
    return onlyDeployment(this.#candidates);
  }

  async #readDeployment(deployment_id: number): Promise<DeploymentRow | undefined> {
    const { stack_id } = this.#request;
    return readOrUndefined(this.#read(deployments.get, { stack_id, deployment_id }));
  }

  async #findCandidates(): Promise<void> {
    this.#candidates = await findCandidateRows(this.#read, this.#request, this.#search);
  }

  #follow(row: DeploymentRow): WatchStatus {
    this.#candidates = [row];
    this.#actionId = undefined;
    this.#followedId = row.id;
    return deploymentStatus(row);
  }
}

/**
 * Returns an observer of a request to deploy. After a lost response the request is recognized by its reference if the
 * service shows references. Otherwise the only new deployment that fits the request is probably the requested one.
 * `hasTypedReference` is true if the user chose the reference, which an earlier action may then have too.
 */
export function requestObserver(
  earlierIds: EarlierIds,
  hasTypedReference = false,
): Observer<DeploymentRequest, readonly number[], RedeployReply> {
  return {
    checkForMs,
    snapshot: async (read, input) =>
      hasTypedReference ? (await actionsWith(read, input)).map(({ id }) => Number(id)) : [],
    check: async (read, input, oldIds = hasTypedReference ? undefined : []) => {
      const deployment = onlyDeployment(
        await findCandidateRows(read, input, { earlierIds, readUserName: userNameReader(read) }),
      );
      const action = oldIds && (await actionsWith(read, input)).find(({ id }) => !oldIds.includes(Number(id)));
      if (action) {
        const message = `no response; action ${action.id} has its reference`;
        return { ...(deployment ? { id: deployment.id } : { async_action_id: action.id }), message, queued: true };
      }
      if (!deployment) return undefined;
      const message = 'no response; this is the only new deployment';
      return new ProbableMatch({ id: deployment.id, message, queued: true });
    },
    watchesActions: true,
    watch: (read, input, { answer }) => {
      const { stack_id, git_ref } = input;
      const missLimit = keepsLiveVersion(input) ? undefined : agreeingReadCount;
      const requestWatch = new DeployRequestWatch(read, input, { earlierIds, answer });
      return watchExpected(read, { stack_id, git_ref, reads: missLimit }, requestWatch);
    },
  };
}

async function actionsWith(read: Read, { stack_id, user_reference }: DeploymentRequest): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const rows = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recentLimit }));
  // A service may ignore the filter, so the rows are filtered again.
  return (rows ?? []).filter(({ id, metadata }) => id !== null && userReferenceIn(metadata) === user_reference);
}
