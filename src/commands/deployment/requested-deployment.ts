import { inSentences } from '../../builders/execute/change-each.ts';
import { checkForMs } from '../../builders/execute/send.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Observer, ProbableMatch, type Read, type Status, type Watch } from '../../contract/observe.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actionOf, actions, actionWith, isAction, referenceIn } from '../../resources/action.ts';
import {
  type DeploymentRequest,
  type DeploymentRow,
  deployments,
  hasSucceeded,
  liveIn,
  type RedeployReply,
  recentLimit,
} from '../../resources/deployment.ts';
import { watchAction } from '../../writes/wait/action.ts';
import {
  callerName,
  isOtherChannel,
  type Known,
  lastOf,
  mayBeOwn,
  type OwnSearch,
  onlyDeployment,
  ownAmongNew,
} from './own-deployment.ts';
import { staysBeside } from './summary.ts';
import { agreeingReads, deploymentStatus, liveSentence, waitCommand, watchExpected } from './watch.ts';

interface Answered {
  readonly known: Known;
  readonly answer: RedeployReply;
}

/** Watches a requested deployment with one request a poll: its action while that runs, else the deployment. */
function watchRequested(read: Read, request: DeploymentRequest, answered: Answered): Watch {
  const { stack_id } = request;
  const requested = new RequestedDeployment(read, request, answered);
  const resume = (id: number | undefined): CommandLine =>
    id === undefined ? { path: 'deployment list', stack_id } : waitCommand(stack_id, id);
  return {
    get name() {
      return requested.id === undefined ? 'the deployment' : `deployment ${requested.id}`;
    },
    resume: resume(requested.id),
    check: async () => {
      const status = await requested.check();
      return { ...status, resume: resume(requested.id) };
    },
  };
}

class RequestedDeployment {
  readonly #read: Read;
  readonly #request: DeploymentRequest;
  readonly #answer: RedeployReply;
  readonly #search: OwnSearch;
  /** The ID in the reply may be that of the deployment or of its action; it is not used where the action has its own field. */
  readonly #id: number | undefined;
  /** Undefined once the deployment shows more than the action. */
  #actionId: number | undefined;
  #user: string | undefined;
  #candidates: readonly DeploymentRow[] = [];
  #followed: number | undefined;
  /** Reads after the good end of the action that showed no deployment. */
  #misses = 0;

  constructor(read: Read, request: DeploymentRequest, { known, answer }: Answered) {
    this.#read = read;
    this.#request = request;
    this.#answer = answer;
    this.#actionId = actionOf(answer)?.id ?? undefined;
    this.#id = 'async_action_id' in answer || this.#actionId !== undefined ? undefined : answer.id;
    const askCaller = callerName(read);
    this.#search = { known, caller: async () => this.#user ?? askCaller() };
  }

  /** The ID of the deployment, as far as that is known. */
  get id(): number | undefined {
    return onlyDeployment(this.#candidates)?.id ?? this.#id;
  }

  async check(): Promise<Status> {
    const action = this.#actionId === undefined ? undefined : await this.#statusOfAction(this.#actionId);
    const isUsable = action !== undefined && action.state !== 'unseen';
    return isUsable ? this.#statusByAction(action) : this.#statusByDeployment();
  }

  async #statusOfAction(id: number): Promise<Status> {
    const status = await watchAction(this.#read, { stack_id: this.#request.stack_id, id }, actionWith({ id })).check();
    if (isAction(status.value)) this.#user = status.value.user;
    return status;
  }

  async #statusByAction(action: Status): Promise<Status> {
    if (action.state === 'failed') return action;
    const isOver = action.state === 'good';
    const before = onlyDeployment(this.#candidates);
    const isBehind = before && action.text === 'started' && deploymentStatus(before).text === 'queued';
    if (isOver || isBehind || this.#candidates.length === 0) await this.#findCandidates();
    const row = onlyDeployment(this.#candidates);
    if (!isOver) {
      const deployment = row && deploymentStatus(row);
      return deployment?.state === 'running' ? deployment : action;
    }
    // The deployment of an action that succeeded has succeeded.
    const found = row ?? onlyDeployment(this.#candidates.filter(hasSucceeded));
    return found ? this.#follow(found) : this.#statusWithout(action);
  }

  /** After the good end of the action, while no deployment is known to be its own. */
  async #statusWithout(action: Status): Promise<Status> {
    const ids = this.#candidates.map(({ id }) => id).toSorted((one, other) => one - other);
    const missing =
      ids.length > 1 ? `which of ${ids.join(', ')} it started is not shown` : 'no new deployment is shown';
    this.#misses += 1;
    if (this.#misses < agreeingReads) return { ...action, state: 'running', text: `succeeded, but ${missing}` };
    const { stack_id } = this.#request;
    const known = await readOrUndefined(this.#read(deployments.list, { stack_id }, { limit: recentLimit }));
    const ended = `action ${this.#actionId} succeeded, but ${missing}`;
    return { ...action, state: 'unknown', fault: inSentences([ended, ...liveSentence(liveIn(known), undefined)]) };
  }

  async #statusByDeployment(): Promise<Status> {
    const row = await this.#findDeployment();
    if (row) return this.#follow(row);
    const carrier = this.#actionId ?? this.#id;
    const value = this.#answer;
    if (carrier === undefined && !this.#search.known) {
      return { state: 'unseen', text: 'the deployments before it could not be read', value };
    }
    // The action may have failed before a deployment started.
    const action = carrier === undefined ? undefined : await this.#statusOfAction(carrier);
    if (action?.state === 'failed') return action;
    if (this.#candidates.length === 0) return { state: 'running', text: 'queued', value };
    const ids = this.#candidates.map(({ id }) => id).toReversed();
    const haveEnded = this.#candidates.every(({ finished_at }) => finished_at);
    const text = `which of ${ids.join(', ')} it is is not shown`;
    return { state: haveEnded ? 'unseen' : 'running', text, value };
  }

  async #findDeployment(): Promise<DeploymentRow | undefined> {
    const isNamed = this.#followed === this.#id;
    if (this.#followed !== undefined) {
      const row = await this.#readDeployment(this.#followed);
      if (row && (isNamed || (await mayBeOwn(row, this.#request.git_ref, this.#search.caller)))) return row;
    }
    const named = this.#id !== undefined && this.#id > lastOf(this.#search.known ?? []);
    const row = named && !isNamed ? await this.#readDeployment(this.#id) : undefined;
    if (row && !isOtherChannel(row)) return row;
    await this.#findCandidates();
    return onlyDeployment(this.#candidates);
  }

  async #readDeployment(deployment_id: number): Promise<DeploymentRow | undefined> {
    const { stack_id } = this.#request;
    return readOrUndefined(this.#read(deployments.get, { stack_id, deployment_id }));
  }

  async #findCandidates(): Promise<void> {
    this.#candidates = await ownAmongNew(this.#read, this.#request, this.#search);
  }

  #follow(row: DeploymentRow): Status {
    this.#candidates = [row];
    this.#actionId = undefined;
    this.#followed = row.id;
    return deploymentStatus(row);
  }
}

/**
 * Checks the outcome of a request to deploy. Without a response, its reference identifies it where the service shows
 * references; else the only new deployment that fits the request probably is the one. `isNamed`: the reference is the
 * operator's, who may have used it before.
 */
export function requestObserver(
  known: Known,
  isNamed = false,
): Observer<DeploymentRequest, readonly number[], RedeployReply> {
  return {
    checkForMs,
    snapshot: async (read, input) => (isNamed ? (await referencedBy(read, input)).map(({ id }) => Number(id)) : []),
    check: async (read, input, earlier = isNamed ? undefined : []) => {
      const found = onlyDeployment(await ownAmongNew(read, input, { known, caller: callerName(read) }));
      const action = earlier && (await referencedBy(read, input)).find(({ id }) => !earlier.includes(Number(id)));
      if (action) {
        const message = `no response; action ${action.id} has its reference`;
        return { ...(found ? { id: found.id } : { async_action_id: action.id }), message, queued: true };
      }
      if (!found) return undefined;
      const message = 'no response; this is the only new deployment';
      return new ProbableMatch({ id: found.id, message, queued: true });
    },
    watchesActions: true,
    watch: (read, input, { answer }) => {
      const { stack_id, git_ref } = input;
      const reads = staysBeside(input) ? undefined : agreeingReads;
      return watchExpected(read, { stack_id, git_ref, reads }, watchRequested(read, input, { known, answer }));
    },
  };
}

async function referencedBy(read: Read, { stack_id, user_reference }: DeploymentRequest): Promise<readonly Action[]> {
  if (user_reference === undefined) return [];
  const found = await readOrUndefined(read(actions.list, { stack_id, user_reference }, { limit: recentLimit }));
  // A service may ignore the filter.
  return (found ?? []).filter(({ id, metadata }) => id !== null && referenceIn(metadata) === user_reference);
}
