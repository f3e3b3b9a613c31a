import type { Context } from '../../contract/command.ts';
import { commandText, type Destination } from '../../contract/command-line.ts';
import type { RecordOf, Row } from '../../contract/record.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { titleOf } from '../../resources/stack.ts';
import { catchUpState, missingSectionOf } from '../../sandbox/answer.ts';
import { type CopySource, createCopiedState } from '../../sandbox/copy/copied-state.ts';
import type { CopiedState, CopyOrigin, StackState, State, VariableRecord } from '../../sandbox/state.ts';
import { peekStoredState } from '../../sandbox/stored-state.ts';
import { serviceAddressOf } from '../../settings/settings.ts';
import { destinationOf } from '../history/runs.ts';
import { acceptedRow, type Request, requestOf, resourceNameOf, type VerifiedChange } from './accepted.ts';
import { locateStoredSandbox, refuseInSandbox } from './clone.ts';
import { readSource } from './read-source.ts';
import {
  commandsFor,
  findStoredStack,
  findSubject,
  needsSubject,
  type Subject,
  startsOperation,
  subjectId,
} from './subjects.ts';

type Verified = RecordOf<typeof VerifiedChange>;

/** Runs `sandbox verify`: compares the stored copy's changes with the service. Throws `rejected` without a copy. */
export async function verifyStoredSandbox(context: Context): Promise<readonly Verified[]> {
  refuseInSandbox(context);
  const state = peekStoredState(locateStoredSandbox(context));
  if (!state?.copy) throw new CliError('rejected', 'the sandbox is not a copy', { hint: { path: 'sandbox clone' } });
  const { value, origin } = context.host.settings.get('stack');
  return verifyState(context, state, origin.kind === 'flag' ? value : undefined);
}

/** Returns the verified changes. Throws `differs`, with the changes, unless each is valid or already made. */
export async function verifyState(context: Context, state: State, stack?: string): Promise<readonly Verified[]> {
  const rows = await verifiedRows(context, state, stack);
  const invalidCount = rows.filter((row) => row.state !== 'valid' && row.state !== 'already').length;
  if (invalidCount === 0) return rows;
  const message = `${invalidCount} of ${rows.length} changes cannot be made as on the copy`;
  throw new CliError('differs', message, { partial: { value: rows } });
}

interface CompareContext extends Pick<Context, 'reveal'> {
  readonly state: State;
  readonly madeUpTexts: ReadonlySet<string | null | undefined>;
  readonly firstState: CopiedState;
  readonly lastState: CopiedState;
  readonly serviceState: CopiedState;
  readonly missingSections: CopySource['without'];
  /** All requests in order, even those of other stacks, because a selected request may depend on them. */
  readonly requests: readonly Request[];
  readonly destination: Destination;
}

export async function verifiedRows(context: Context, state: State, stackName?: string): Promise<readonly Verified[]> {
  const { host, reveal } = context;
  const { source: address, first, madeUp } = state.copy as CopyOrigin;
  if (address !== host.baseUrl()) context.warn(`the copy is of ${address}, and this is ${host.baseUrl()}`);
  const stacks = stackName === undefined ? state.stacks : [namedStack(state, stackName)];
  const requests = state.writes.map(requestOf);
  // A request that belongs to no stack is part of every selection.
  const isChosen = ({ input }: Request) => findStoredStack(stacks, input) || !findStoredStack(state.stacks, input);
  const chosenRequests = requests.filter(isChosen);
  if (chosenRequests.length === 0) return [];
  const titles = new Map(stacks.map(({ row }) => [row.uid, titleOf(row)]));
  const source = await readSource(context, [...titles.keys()]);
  const destination = destinationOf({ profile: host.settings.profile, address: serviceAddressOf(host.settings) }, host);
  const compareContext: CompareContext = {
    state,
    reveal,
    madeUpTexts: new Set(madeUp),
    firstState: JSON.parse(first),
    lastState: settledState(state, context.now()),
    serviceState: createCopiedState(source, context.now()),
    missingSections: source.without,
    requests,
    destination: { ...destination, stackName: (uid) => titles.get(uid) ?? uid },
  };
  // If several writes changed one subject, only the last write is compared.
  const lastRequests = new Map(chosenRequests.map((request) => [subjectKey(request), request]));
  return [...lastRequests.values()].flatMap((request) => compareRequest(request, compareContext) ?? []);
}

/** Returns the state an hour later, when all actions and deployments in progress have ended. */
function settledState(state: State, now: Date): State {
  const newState = structuredClone(state);
  catchUpState({ state: newState, now: new Date(now.getTime() + 3_600_000) });
  return newState;
}

function namedStack({ stacks }: State, stackName: string): StackState {
  const matchingStacks = stacks.filter(({ row }) => [row.uid, row.name, titleOf(row)].includes(stackName));
  if (matchingStacks[0] && matchingStacks.length === 1) return matchingStacks[0];
  const titles = stacks.map(({ row }) => titleOf(row)).join(', ');
  throw new CliError('not_found', `stack "${stackName}" is not in the copy, which has ${titles}`);
}

function subjectKey(request: Request): unknown {
  if (startsOperation(request)) return request;
  const { stack_id, server_group_id, server_id, account_id } = request.input;
  const ownerIds = [stack_id, server_group_id, server_id, account_id];
  return JSON.stringify([resourceNameOf(request.id), ...ownerIds, subjectId(request.input)]);
}

function compareRequest(request: Request, compareContext: CompareContext): Verified | undefined {
  const { firstState, lastState, serviceState, state, reveal, destination } = compareContext;
  const [before, after, now] = [firstState, lastState, serviceState].map((one) => findSubject(request, one));
  const isOperationStart = startsOperation(request);
  const isSandboxOnly = /^\/(users|clusters)/.test(request.operation.path);
  // The copy ended with the value that it began with, so there is nothing to change at the service.
  if (!isOperationStart && !isSandboxOnly && before?.text === after?.text) return undefined;
  const { operation, path } = acceptedRow(request, state, reveal);
  const name = (before ?? after ?? now)?.name ?? path.replace(/^\/(stacks\/[^/]+\/)?/, '');
  const isHidden = !reveal && [before, after, now].some((one) => one?.isSecret);
  const shownTextOf = (one: Subject | undefined) => (isHidden && one ? mask : (one?.text ?? null));
  const values = { before: shownTextOf(before), after: shownTextOf(after), now: shownTextOf(now) };
  const row: Verified = { name, state: 'already', reason: null, ...values, command: null, operation, path };
  const obstacle = isSandboxOnly
    ? 'users and clusters are those of the sandbox'
    : obstacleTo(request, { name, before, after, now }, compareContext);
  if (obstacle !== undefined) return { ...row, state: 'not_possible', reason: obstacle };
  if (!isOperationStart && now?.text === after?.text) return row;
  const command = commandText(commandsFor(request, after, before), destination) ?? null;
  if (isOperationStart || isUnchanged(before, now, compareContext)) return { ...row, state: 'valid', command };
  const currentText = isHidden ? 'another value' : (now?.text ?? 'null');
  const reason = now ? `${name} is now ${currentText}` : `${name} was deleted`;
  return { ...row, state: 'changed', reason, command };
}

function isUnchanged(before: Subject | undefined, now: Subject | undefined, { madeUpTexts }: CompareContext): boolean {
  if (before?.text === now?.text) return true;
  // If the copy has a made-up value in place of the real one, only the times of the changes can be compared.
  const isMadeUp = [before?.text, ...(before?.text?.split(', ') ?? [])].some((part) => madeUpTexts.has(part));
  const times = timesOf(before?.row);
  return isMadeUp && times !== undefined && times === timesOf(now?.row);
}

/** Returns the times of the last change and of earlier values, because two changes may be within one second. */
function timesOf({ updated_at, updated_at_iso, history }: Row = {}): string | undefined {
  const at = updated_at ?? updated_at_iso;
  const earlierValues = (history ?? []) as VariableRecord['history'];
  return at ? JSON.stringify([at, earlierValues.map((entry) => [entry.key, entry.updated_at])]) : undefined;
}

type Versions = Readonly<Record<'before' | 'after' | 'now', Subject | undefined>> & Pick<Subject, 'name'>;

function obstacleTo(request: Request, versions: Versions, compareContext: CompareContext): string | undefined {
  const { name, before, after, now } = versions;
  const { input } = request;
  const resource = resourceNameOf(request.id);
  const placeIds = Object.values(input).map(String);
  const unreadSection = missingSectionOf(request.id, placeIds, compareContext.missingSections);
  if (unreadSection) return `${unreadSection.label} cannot be read (${unreadSection.why})`;
  if (needsSubject(request) && !before) return onlyInCopyText(request, resource, compareContext);
  const partIds = { databases: input['database_ids'], databaseUsers: input['database_user_ids'] };
  for (const [resourceName, ids] of Object.entries(partIds)) {
    const requestForPart = (id: unknown) => ({ id: resourceName, input: { ...input, id } });
    const isPartNew = [ids ?? []].flat().some((id) => !findSubject(requestForPart(id), compareContext.firstState));
    if (isPartNew) return onlyInCopyText(request, resourceName, compareContext);
  }
  // In the copy, a rollback or a copied secret may set a made-up value, which must not be set at the service.
  if (after && compareContext.madeUpTexts.has(after.text)) return 'its last value in the copy is made up';
  if (now?.row['readonly']) return `${name} is read-only`;
  return needsSubject(request) && !now && (after || startsOperation(request)) ? `${name} is gone` : undefined;
}

function onlyInCopyText(request: Request, resource: string, { requests }: CompareContext): string {
  const { stack_id } = request.input;
  const createOperationId = `${resource === 'variants' ? 'deployments' : resource}.create`;
  const isCreation = ({ id, input }: Request) => id === createOperationId && input['stack_id'] === stack_id;
  const creation = requests.slice(0, requests.indexOf(request)).findLast(isCreation);
  return creation ? `only in the copy, made by ${creation.operation.method} ${creation.path}` : 'only in the copy';
}
