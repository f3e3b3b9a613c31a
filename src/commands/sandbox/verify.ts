import type { Context } from '../../contract/command.ts';
import { type CommandLine, commandText } from '../../contract/command-line.ts';
import type { RecordOf } from '../../contract/record.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { titleOf } from '../../resources/stack.ts';
import { type CopySource, copiedState } from '../../sandbox/copy/copied-state.ts';
import { settledState } from '../../sandbox/copy/copy.ts';
import type { CopiedState, CopyOrigin, StackState, State } from '../../sandbox/state.ts';
import { peekStored } from '../../sandbox/stored-state.ts';
import { addressOf } from '../../settings/settings.ts';
import { destinationOf } from '../history/runs.ts';
import { acceptedRows, type Request, requestOf, type VerifiedChange } from './accepted.ts';
import { refuseEmbedded, storedSandbox } from './clone.ts';
import { readSource } from './read-source.ts';
import {
  commandsFor,
  creatingOperations,
  needsSubject,
  type Subject,
  startingOperations,
  subjectIn,
} from './subjects.ts';

type Verified = RecordOf<typeof VerifiedChange>;

/** `sandbox verify`: compares the changes of the stored copy with the service. Throws rejected without a copy. */
export async function verifyStored(context: Context): Promise<readonly Verified[]> {
  refuseEmbedded(context);
  const state = peekStored(storedSandbox(context));
  if (!state?.copy) throw new CliError('rejected', 'the sandbox is not a copy', { hint: { path: 'sandbox clone' } });
  const { value, origin } = context.host.settings.get('stack');
  return verified(context, state, origin.kind === 'flag' ? value : undefined);
}

/** Throws differs, with the rows, unless every change is valid or already made. */
export async function verified(context: Context, state: State, stack?: string): Promise<readonly Verified[]> {
  const rows = await verifiedRows(context, state, stack);
  const bad = rows.filter((row) => row.state !== 'valid' && row.state !== 'already').length;
  if (bad === 0) return rows;
  const message = `${bad} of ${rows.length} changes cannot be made as on the copy`;
  throw new CliError('differs', message, { partial: { value: rows } });
}

interface Comparison {
  readonly copy: CopyOrigin;
  readonly first: CopiedState;
  readonly last: CopiedState;
  readonly now: CopiedState;
  readonly source: CopySource;
  /** All requests in order, also those that were not selected: selected ones may depend on them. */
  readonly requests: readonly Request[];
}

export async function verifiedRows(context: Context, state: State, word?: string): Promise<readonly Verified[]> {
  const copy = state.copy as CopyOrigin;
  const { host } = context;
  const address = host.baseUrl();
  if (copy.source !== address) context.warn(`the copy is of ${copy.source}, and this is ${address}`);
  const stacks = word === undefined ? state.stacks : [namedStack(state, word)];
  const shown = acceptedRows(state, context.reveal);
  const requests = state.writes.map(requestOf);
  const all = requests.map((request, at) => ({ request, at }));
  const chosen = all.filter(({ request }) => isAbout(request, stacks, state));
  if (chosen.length === 0) return [];
  const source = await readSource(
    context,
    stacks.map(({ row }) => row.uid),
  );
  const comparison: Comparison = {
    copy,
    first: JSON.parse(copy.first),
    last: settledState(state, context.now()),
    now: copiedState(source, context.now()),
    source,
    requests,
  };
  const destination = {
    ...destinationOf({ profile: host.settings.profile, address: addressOf(host.settings) }, host),
    stackName: (uid: string) => {
      const stack = stacks.find(({ row }) => row.uid === uid);
      return stack ? titleOf(stack.row) : uid;
    },
  };
  // The last write to a subject stands for all of them.
  const last = new Map(chosen.map(({ request, at }) => [subjectKey(request, at), { request, at }]));
  return [...last.values()].flatMap(({ request, at }) => {
    const { operation = '', path = '' } = shown[at] ?? {};
    const found = compare(request, path, comparison);
    if (!found) return [];
    const { lines, ...row } = maskedRow(found, context.reveal);
    return [{ ...row, command: commandText(lines, destination) ?? null, operation, path }];
  });
}

function namedStack({ stacks }: State, word: string): StackState {
  const named = stacks.filter(({ row }) => [row.uid, row.name, titleOf(row)].includes(word));
  if (named[0] && named.length === 1) return named[0];
  const titles = stacks.map(({ row }) => titleOf(row)).join(', ');
  throw new CliError('not_found', `stack "${word}" is not in the copy, which has ${titles}`);
}

function isAbout(
  { input: { stack_id, entity_id } }: Request,
  chosen: readonly StackState[],
  { stacks }: State,
): boolean {
  const holds = ({ row, servers }: StackState) =>
    row.uid === stack_id || servers.some((server) => server.row.uid === entity_id);
  // A request that belongs to no stack is part of every selection.
  return chosen.some(holds) || !stacks.some(holds);
}

function subjectKey({ id, input }: Request, at: number): string {
  if (startingOperations.includes(id)) return String(at);
  const { stack_id, server_group_id, server_id, account_id, entity_id } = input;
  const own = input['env_var_key'] ?? input['key'] ?? input['id'] ?? input['deployment_id'] ?? JSON.stringify(input);
  return JSON.stringify([id.split('.')[0], stack_id, server_group_id, server_id, account_id, entity_id ?? own]);
}

interface Compared extends Pick<Verified, 'name' | 'state' | 'reason'> {
  readonly before: Subject | undefined;
  readonly after: Subject | undefined;
  readonly now: Subject | undefined;
  readonly lines: readonly CommandLine[];
}

function compare(request: Request, path: string, comparison: Comparison): Compared | undefined {
  const { first, last, now: current, copy } = comparison;
  const before = subjectIn(request, first);
  const after = subjectIn(request, last);
  const now = subjectIn(request, current);
  const begins = startingOperations.includes(request.id);
  const isOfCopy = /^\/(users|clusters)/.test(request.operation.path);
  // The changes cancel each other.
  if (!begins && !isOfCopy && before?.text === after?.text) return undefined;
  const name = (before ?? after ?? now)?.name ?? path.replace(/^\/(stacks\/[^/]+\/)?/, '');
  const change = { name, before, after, now, lines: [] };
  const obstacle = isOfCopy ? 'users and clusters are those of the sandbox' : obstacleTo(request, change, comparison);
  if (obstacle !== undefined) return { ...change, state: 'not_possible', reason: obstacle };
  if (!begins && now?.text === after?.text) return { ...change, state: 'already', reason: null };
  const lines = commandsFor(request, before, after);
  if (begins || isUnchanged(before, now, copy)) return { ...change, state: 'valid', reason: null, lines };
  const isHidden = [before, after, now].some((found) => found?.isSecret);
  const shown = isHidden ? 'another value' : (now?.text ?? 'null');
  return { ...change, state: 'changed', reason: now ? `${name} is now ${shown}` : `${name} was deleted`, lines };
}

function isUnchanged(before: Subject | undefined, now: Subject | undefined, { madeUp }: CopyOrigin): boolean {
  if (before?.text === now?.text) return true;
  // The copy holds a replacement of the real value, so only the times can be compared.
  const isReplaced = before?.isComposed || madeUp.includes(before?.text ?? '');
  return isReplaced === true && before?.at !== undefined && before.at === now?.at;
}

type Sides = Pick<Compared, 'name' | 'before' | 'after' | 'now'>;

function obstacleTo(request: Request, { name, before, after, now }: Sides, comparison: Comparison): string | undefined {
  const { input } = request;
  const [resource = ''] = request.id.split('.');
  const places = Object.values(input).map(String);
  const isPlace = (place: string | undefined) => place === undefined || places.includes(place);
  const unread = comparison.source.without.find(({ section, place }) => section === resource && isPlace(place));
  if (unread) return `${unread.label} cannot be read (${unread.why})`;
  if (needsSubject(request) && !before) return onlyInCopy(request, creatingOperations[resource], comparison);
  const parts = { databases: input['database_ids'], databaseUsers: input['database_user_ids'] };
  for (const [part, ids] of Object.entries(parts)) {
    const isMade = [ids ?? []].flat().some((id) => !subjectIn(partOf(request, part, id), comparison.first));
    if (isMade) return onlyInCopy(request, creatingOperations[part], comparison);
  }
  // A rollback, or a copy of a secret, may set a replacement instead of the real value.
  if (comparison.copy.madeUp.includes(after?.text ?? '')) return 'its last value in the copy is made up';
  if (now?.isReadonly) return `${name} is read-only`;
  return needsSubject(request) && !now && (after || startingOperations.includes(request.id))
    ? `${name} is gone`
    : undefined;
}

function partOf(request: Request, resource: string, id: unknown): Request {
  return { ...request, id: `${resource}.get`, input: { ...request.input, id } };
}

function onlyInCopy(request: Request, maker: string | undefined, { requests }: Comparison): string {
  const { stack_id } = request.input;
  const earlier = requests.slice(0, requests.indexOf(request));
  const made = earlier.findLast(({ id, input }) => id === maker && input['stack_id'] === stack_id);
  return made ? `only in the copy, made by ${made.operation.method} ${made.path}` : 'only in the copy';
}

function maskedRow({ name, state, reason, before, after, now, lines }: Compared, reveal: boolean) {
  const isHidden = !reveal && [before, after, now].some((found) => found?.isSecret);
  const shown = (found: Subject | undefined) => (isHidden && found ? mask : (found?.text ?? null));
  return { name, state, reason, before: shown(before), after: shown(after), now: shown(now), lines };
}
