import { inSentences } from '../../builders/execute/change-each.ts';
import { checkForMs } from '../../builders/execute/send.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Observer, ProbableMatch, type Read, type Watch, type WatchStatus } from '../../contract/observe.ts';
import { once } from '../../contract/values/once.ts';
import { isSameCommit } from '../../contract/values/text.ts';
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
  newestFirst,
  type RedeployReply,
  recentLimit,
} from '../../resources/deployment.ts';
import { pings } from '../../resources/reference.ts';
import { createActionWatch } from '../../writes/wait/action.ts';
import { keepsLiveVersion } from './summary.ts';
import {
  agreeingReadCount,
  deploymentStatus,
  isOtherVersion,
  liveSentence,
  waitCommand,
  watchExpected,
} from './watch.ts';

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

  constructor(read: Read, request: DeploymentRequest, lastId: number | undefined, answer: RedeployReply) {
    this.#read = read;
    this.#request = request;
    this.#answer = answer;
    this.#actionId = actionInReply(answer)?.id ?? undefined;
    this.#replyId = 'async_action_id' in answer || this.#actionId !== undefined ? undefined : answer.id;
    const readUserName = userNameReader(read);
    this.#search = { lastId, readUserName: async () => this.#user ?? readUserName() };
  }

  get #shownId(): number | undefined {
    return onlyDeployment(this.#candidates)?.id ?? this.#replyId;
  }

  get #unclearText(): string {
    const ids = this.#candidates.map(({ id }) => id).toReversed();
    return `which of ${ids.join(', ')}`;
  }

  get name(): string {
    return this.#shownId === undefined ? 'the deployment' : `deployment ${this.#shownId}`;
  }

  get resume(): CommandLine {
    const { stack_id } = this.#request;
    return this.#shownId === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, this.#shownId);
  }

  async check(): Promise<WatchStatus> {
    const actionStatus = await this.#statusOfAction(this.#actionId);
    const isActionShown = actionStatus !== undefined && actionStatus.state !== 'unseen';
    const status = await (isActionShown ? this.#statusByAction(actionStatus) : this.#statusByDeployment());
    return { ...status, resume: this.resume };
  }

  async #statusOfAction(id: number | undefined): Promise<WatchStatus | undefined> {
    if (id === undefined) return undefined;
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
    const isSearchDue = hasActionSucceeded || isRowOutdated || this.#candidates.length === 0;
    const row = isSearchDue ? await this.#findOnlyCandidate() : rowBefore;
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
    const isOneOfSeveral = this.#candidates.length > 1;
    const why = isOneOfSeveral ? `${this.#unclearText} it started is not shown` : 'no new deployment is shown';
    this.#misses += 1;
    if (this.#misses < agreeingReadCount) return { ...actionStatus, state: 'running', text: `succeeded, but ${why}` };
    const { stack_id } = this.#request;
    const rows = await readOrUndefined(this.#read(deployments.list, { stack_id }, { limit: recentLimit }));
    const successText = `action ${this.#actionId} succeeded, but ${why}`;
    const fault = inSentences([successText, ...liveSentence(liveDeploymentIn(rows), undefined)]);
    return { ...actionStatus, state: 'unknown', fault };
  }

  async #statusByDeployment(): Promise<WatchStatus> {
    const row = await this.#findDeployment();
    if (row) return this.#follow(row);
    const actionId = this.#actionId ?? this.#replyId;
    const value = this.#answer;
    if (actionId === undefined && this.#search.lastId === undefined) {
      return { state: 'unseen', text: 'the deployments before it could not be read', value };
    }
    // The action may have failed before a deployment started, so the action is read too.
    const actionStatus = await this.#statusOfAction(actionId);
    if (actionStatus?.state === 'failed') return actionStatus;
    if (this.#candidates.length === 0) return { state: 'running', text: 'queued', value };
    const haveAllEnded = this.#candidates.every(({ finished_at }) => finished_at);
    return { state: haveAllEnded ? 'unseen' : 'running', text: `${this.#unclearText} it is is not shown`, value };
  }

  async #findDeployment(): Promise<DeploymentRow | undefined> {
    const followsReplyId = this.#followedId === this.#replyId;
    if (this.#followedId !== undefined) {
      const row = await this.#readDeployment(this.#followedId);
      if (row && (followsReplyId || (await mayBeRequested(row, this.#request, this.#search)))) return row;
    }
    const isNewId = this.#replyId !== undefined && this.#replyId > (this.#search.lastId ?? 0);
    const row = isNewId && !followsReplyId ? await this.#readDeployment(this.#replyId) : undefined;
    if (row && !isOtherChannel(row)) return row;
    return this.#findOnlyCandidate();
  }

  async #readDeployment(deployment_id: number): Promise<DeploymentRow | undefined> {
    const { stack_id } = this.#request;
    return readOrUndefined(this.#read(deployments.get, { stack_id, deployment_id }));
  }

  async #findOnlyCandidate(): Promise<DeploymentRow | undefined> {
    this.#candidates = await findCandidateRows(this.#read, this.#request, this.#search);
    return onlyDeployment(this.#candidates);
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
  earlierIds: readonly number[] | undefined,
  hasTypedReference = false,
): Observer<DeploymentRequest, readonly number[], RedeployReply> {
  // An ID may be a bigint, which `Math.max` refuses.
  const lastId = earlierIds?.reduce((highest, id) => (id > highest ? id : highest), 0);
  return {
    checkForMs,
    snapshot: async (read, input) =>
      hasTypedReference ? (await actionsWith(read, input)).map(({ id }) => Number(id)) : [],
    check: async (read, input, oldIds = hasTypedReference ? undefined : []) => {
      const search = { lastId, readUserName: userNameReader(read) };
      const deployment = onlyDeployment(await findCandidateRows(read, input, search));
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
      const reads = keepsLiveVersion(input) ? undefined : agreeingReadCount;
      return watchExpected(read, { stack_id, git_ref, reads }, new DeployRequestWatch(read, input, lastId, answer));
    },
  };
}

async function actionsWith(read: Read, { stack_id, user_reference }: DeploymentRequest): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const rows = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recentLimit }));
  // A service may ignore the filter, so the rows are filtered again.
  return (rows ?? []).filter(({ id, metadata }) => id !== null && userReferenceIn(metadata) === user_reference);
}

interface CandidateSearch {
  /** ID of the newest deployment before the request, 0 without one; undefined if it could not be read. */
  readonly lastId: number | undefined;
  /** Reads the user who sends the request; undefined if the service does not show the user. */
  readonly readUserName: ReturnType<typeof userNameReader>;
}

function userNameReader(read: Read) {
  return once(() => readOrUndefined(read(pings.auth, {})).then((caller) => caller?.user_name));
}

/** Returns the deployments that may be the requested one, newest first, or only those of the requested commit. */
async function findCandidateRows(read: Read, request: DeploymentRequest, search: CandidateSearch) {
  const { stack_id, git_ref } = request;
  const { lastId } = search;
  if (lastId === undefined) return [];
  const rows = await read(deployments.list, { stack_id }, { limit: recentLimit });
  const newRows = newestFirst(rows.filter(({ id }) => id > lastId));
  const fitFlags = await Promise.all(newRows.map((row) => mayBeRequested(row, request, search)));
  const fittingRows = newRows.filter((_, at) => fitFlags[at]);
  const rowsOfCommit = fittingRows.filter(({ git_hash }) => isSameCommit(git_hash, git_ref));
  return rowsOfCommit.length > 0 ? rowsOfCommit : fittingRows;
}

async function mayBeRequested(row: DeploymentRow, { git_ref }: DeploymentRequest, search: CandidateSearch) {
  if (isOtherVersion(row, git_ref) || isOtherChannel(row)) return false;
  return !row.triggered_by || !isOtherUser(row.triggered_by, await search.readUserName());
}

function isOtherChannel({ triggered_via }: DeploymentRow): boolean {
  // The only documented code is 0, so other codes without a meaning show no channel.
  const channel = triggered_via?.meaning ?? (triggered_via?.code === 0 ? 'web' : undefined);
  return channel === 'web' || channel === 'hook';
}

function isOtherUser(triggered_by: string, userName: string | undefined): boolean {
  // A name and an e-mail address may belong to one person, so they are not compared.
  const isComparable = userName?.includes('@') === triggered_by.includes('@');
  return isComparable && userName?.toLowerCase() !== triggered_by.toLowerCase();
}

/** Returns the only deployment of a list. Undefined for several, because each may be the requested one. */
function onlyDeployment([row, ...more]: readonly DeploymentRow[]): DeploymentRow | undefined {
  return more.length === 0 ? row : undefined;
}
