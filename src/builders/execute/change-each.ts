import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, nullable, text, type ValueOf } from '../../contract/field.ts';
import { CliError, whyText } from '../../errors/cli-error.ts';

interface Batch<Item, Row> {
  readonly nameOf: (item: Item) => string;
  readonly act: (item: Item) => Promise<Row>;
  /** The number of items at once; the default is four. */
  readonly atOnce?: number;
  /** An item begins after all items with a lower number have ended. */
  readonly phaseOf?: (item: Item) => number;
  /** `created`, or undefined for an item that needed no change. The default outcome is `succeeded`. */
  readonly outcomeOf?: (row: Row) => string | undefined;
  /** The row of a failed item, with the record that showed the failure, or of an item that was not tried. */
  readonly undone: (item: Item, error: ItemError, observed: unknown) => Row | Promise<Row>;
}

/** The error of one of several items, as in a JSON error. */
export const itemError = nullable(
  group({ code: text('Kind of failure.'), message: text('What went wrong.') }, 'Why it failed.'),
);
export type ItemError = ValueOf<typeof itemError>;

const changesAtOnce = 4;

type Result<Item, Row> = { readonly item: Item } & (
  | { readonly kind: 'done'; readonly row: Row }
  | { readonly kind: 'failed'; readonly error: CliError }
  | { readonly kind: 'skipped' }
);

/**
 * Changes several items, some of them at once. After the first failure no other item starts, unless --keep-going. A single
 * item throws its own error. When some of several items succeeded, the exit code is 1, or 11 for an unknown outcome.
 */
export async function changeEach<Item, Row>(
  context: Pick<Context, 'keepGoing'>,
  items: readonly Item[],
  batch: Batch<Item, Row>,
): Promise<readonly Row[]> {
  const { nameOf } = batch;
  const tried = await runAll(items, batch, context.keepGoing);
  const results = items.length === 1 ? tried : tried.map(withoutUntried);
  const rows = await Promise.all(results.map((result) => resultRow(result, batch)));
  const stop = tried.find((result) => result.kind === 'failed');
  if (!stop) return rows;
  const partial = { value: rows };
  // A single item has a result only if its error has a record.
  if (items.length === 1) throw stop.error.details.partial ? stop.error.with({ partial }) : stop.error;
  const failures = results.flatMap((result) =>
    result.kind === 'failed' ? [{ name: nameOf(result.item), error: result.error }] : [],
  );
  const worst =
    failures.find(({ error }) => kindForChange(error) === 'outcome_unknown') ??
    failures.find(({ error }) => error.kind !== 'differs') ??
    failures[0];
  const { kind, message, details } = worst?.error ?? stop.error;
  const succeeded = namesByOutcome(results, batch);
  const notTried = results.filter((result) => result.kind === 'skipped').map(({ item }) => nameOf(item));
  const text = partialMessage(failures.length === 0 ? [message] : failures.map(sentenceOf), succeeded, notTried);
  // An unknown outcome is worse than a failure; a difference is the result of a successful run.
  const isInPart = succeeded.size > 0 && !['outcome_unknown', 'interrupted', 'differs'].includes(kind);
  const hint = resumesOf(failures);
  throw new CliError(kind, text, { ...details, ...(isInPart && { exitCode: 1 }), ...(hint && { hint }), partial });
}

async function runAll<Item, Row>(
  items: readonly Item[],
  { act, atOnce = changesAtOnce, phaseOf = () => 0 }: Batch<Item, Row>,
  keepGoing: boolean,
): Promise<readonly Result<Item, Row>[]> {
  const results: Result<Item, Row>[] = items.map((item) => ({ item, kind: 'skipped' }));
  let stopped = false;
  const work = async (queue: Iterable<[number, Item]>): Promise<void> => {
    for (const [index, item] of queue) {
      if (stopped) return;
      const result = await tryItem(item, act, items.length > 1);
      results[index] = result;
      if (result.kind === 'failed' && (!keepGoing || result.error.kind === 'interrupted')) stopped = true;
    }
  };
  for (const phase of [...new Set(items.map(phaseOf))].sort((a, b) => a - b)) {
    const own = [...items.entries()].filter(([, item]) => phaseOf(item) === phase);
    const queue = own.values();
    await Promise.all(Array.from({ length: Math.min(atOnce, own.length) }, () => work(queue)));
  }
  return results;
}

function namesByOutcome<Item, Row>(
  results: readonly Result<Item, Row>[],
  { nameOf, outcomeOf = () => '' }: Batch<Item, Row>,
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const result of results) {
    const outcome = result.kind === 'done' ? outcomeOf(result.row) : undefined;
    if (outcome !== undefined) names.set(outcome, [...(names.get(outcome) ?? []), nameOf(result.item)]);
  }
  return names;
}

async function tryItem<Item, Row>(
  item: Item,
  act: (item: Item) => Promise<Row>,
  isOfSeveral: boolean,
): Promise<Result<Item, Row>> {
  try {
    return { item, kind: 'done', row: await act(item) };
  } catch (error) {
    if (error instanceof CliError) return { item, kind: 'failed', error };
    // A bug in one change must not hide the results of the others.
    if (isOfSeveral) return { item, kind: 'failed', error: new CliError('unavailable', whyText(error)) };
    throw error;
  }
}

function withoutUntried<Item, Row>(result: Result<Item, Row>): Result<Item, Row> {
  if (result.kind !== 'failed') return result;
  const { kind, details } = result.error;
  const isTried = details.extra?.['request_sent'] === true || details.extra?.['accepted'] === true;
  return kind === 'interrupted' && !isTried ? { item: result.item, kind: 'skipped' } : result;
}

function resultRow<Item, Row>(result: Result<Item, Row>, { undone }: Batch<Item, Row>): Row | Promise<Row> {
  if (result.kind === 'done') return result.row;
  if (result.kind === 'skipped') return undone(result.item, null, undefined);
  const { message, details } = result.error;
  return undone(result.item, { code: kindForChange(result.error), message }, details.partial?.value);
}

/** The kind of error for the change itself: after an interrupted wait the change may still succeed. */
export function kindForChange({ kind, details: { extra } }: CliError): CliError['kind'] {
  if (extra?.['request_sent'] === true) return 'outcome_unknown';
  return extra?.['accepted'] === true ? 'pending' : kind;
}

interface Failure {
  readonly name: string;
  readonly error: CliError;
}

function sentenceOf({ name, error }: Failure): string {
  // The message of a difference may begin with the stack, which is the name.
  if (error.kind === 'differs') return `${name}: ${error.why}`;
  // The messages of both kinds are whole sentences.
  const isWhole = ['pending', 'outcome_unknown'].includes(kindForChange(error));
  return `${name}${isWhole ? '' : ' failed'}: ${error.message}`;
}

function resumesOf(failures: readonly Failure[]): readonly CommandLine[] | undefined {
  const hints = failures.map(({ error }) => (kindForChange(error) === 'pending' ? error.details.hint : undefined));
  const known = hints.filter((hint) => hint !== undefined && typeof hint !== 'string');
  return known.length > 1 && known.length === hints.length ? known.flat() : undefined;
}

/**
 * Processes items one after another until the first failure. The first item throws its own error; after that the exit code
 * is 1, and the finished items are the result.
 */
export async function eachInTurn<Item, Done>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  act: (item: Item) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const item of items) {
    try {
      done.push(await act(item));
    } catch (error) {
      if (done.length === 0 || !(error instanceof CliError)) throw error;
      const names = items.map(nameOf);
      const succeeded = new Map([['', names.slice(0, done.length)]]);
      const notTried = names.slice(done.length + 1);
      const message = partialMessage([`${nameOf(item)} failed: ${error.message}`], succeeded, notTried);
      throw error.with({ exitCode: 1, partial: { value: done } }, message);
    }
  }
  return done;
}

/** `B failed: access denied (403). A was created. Not tried: C, D.` */
function partialMessage(
  failures: readonly string[],
  succeeded: ReadonlyMap<string, readonly string[]>,
  notTried: readonly string[],
): string {
  const successes = [...succeeded].map(([outcome, names]) => {
    const verb = names.length === 1 ? 'was' : 'were';
    return `${names.join(', ')} ${outcome === '' ? 'succeeded' : `${verb} ${outcome}`}`;
  });
  const left = notTried.length > 0 ? [`Not tried: ${notTried.join(', ')}`] : [];
  return inSentences([...failures, ...successes, ...left]);
}

/** Joins sentences with full stops; a single sentence has none, as any error message. */
export function inSentences(sentences: readonly string[]): string {
  if (sentences.length === 1) return sentences.join('');
  return sentences.map((sentence) => `${sentence.replace(/\.$/, '')}.`).join(' ');
}
