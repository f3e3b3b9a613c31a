import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, nullable, text, type ValueOf } from '../../contract/field.ts';
import { whyText } from '../../problems/or-warn.ts';
import { Problem } from '../../problems/problem.ts';
import { partialMessage } from './partial-message.ts';

/** How several items are changed, each on its own. */
export interface Batch<Item, Row> {
  readonly nameOf: (item: Item) => string;
  readonly act: (item: Item) => Promise<Row>;
  /** How many at once; without it four. */
  readonly atOnce?: number;
  /** What was done to one that succeeded: `created`; undefined where nothing had to be. Without it nothing is said of that. */
  readonly outcomeOf?: (row: Row) => string | undefined;
  /** What is reported of one that failed, with the record in which that was seen, or of one that was not tried. */
  readonly undone: (item: Item, error: ItemError, seen: unknown) => Row | Promise<Row>;
}

/** Why one of several failed, as in a JSON error. */
export const itemError = nullable(
  group({ code: text('Kind of failure.'), message: text('What went wrong.') }, 'Why it failed.'),
);
export type ItemError = ValueOf<typeof itemError>;

const changesAtOnce = 4;

type Result<Row> =
  | { readonly kind: 'done'; readonly row: Row }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'skipped' };

/**
 * Changes several items, some of them at once. The first failure lets those under way end and starts no other, unless
 * --keep-going. A single item fails as it would alone; of several, with one that went through, the run failed in part: exit 1,
 * or 11 where the outcome of one is unknown.
 */
export async function changeEach<Item, Row>(
  context: Pick<Context, 'keepGoing'>,
  items: readonly Item[],
  batch: Batch<Item, Row>,
): Promise<readonly Row[]> {
  const tried = await runAll(items, batch, context.keepGoing);
  const results = items.length === 1 ? tried : tried.map(withoutUntried);
  const rows = await Promise.all(results.map((result, index) => rowOf(result, at(items, index), batch)));
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [{ name: batch.nameOf(at(items, index)), problem: result.problem }] : [],
  );
  const stop = tried.find((result) => result.kind === 'failed');
  if (!stop) return rows;
  if (items.length === 1) throw alone(stop.problem, rows);
  const notTried = results.flatMap(({ kind }, index) => (kind === 'skipped' ? [batch.nameOf(at(items, index))] : []));
  const succeeded = namesByOutcome(results, items, batch);
  throw ofSeveral({ failures, stop: stop.problem, rows, succeeded, notTried });
}

async function runAll<Item, Row>(
  items: readonly Item[],
  { act, atOnce = changesAtOnce }: Batch<Item, Row>,
  keepGoing: boolean,
): Promise<readonly Result<Row>[]> {
  const results: Result<Row>[] = items.map(() => ({ kind: 'skipped' }));
  const queue = items.entries();
  let stopped = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stopped) return;
      const result = await attempt(() => act(item), items.length > 1);
      results[index] = result;
      if (result.kind === 'failed' && (!keepGoing || result.problem.kind === 'interrupted')) stopped = true;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

function namesByOutcome<Item, Row>(
  results: readonly Result<Row>[],
  items: readonly Item[],
  { nameOf, outcomeOf = () => '' }: Batch<Item, Row>,
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const [index, result] of results.entries()) {
    const outcome = result.kind === 'done' ? outcomeOf(result.row) : undefined;
    if (outcome !== undefined) names.set(outcome, [...(names.get(outcome) ?? []), nameOf(at(items, index))]);
  }
  return names;
}

/** A bug in one of several changes must not hide the results of the others. */
async function attempt<Row>(act: () => Promise<Row>, isOfSeveral: boolean): Promise<Result<Row>> {
  try {
    return { kind: 'done', row: await act() };
  } catch (error) {
    if (error instanceof Problem) return { kind: 'failed', problem: error };
    if (isOfSeveral) return { kind: 'failed', problem: new Problem('unavailable', whyText(error)) };
    throw error;
  }
}

/** A change that was interrupted before it left was not tried. */
function withoutUntried<Row>(result: Result<Row>): Result<Row> {
  return result.kind === 'failed' && isUntried(result.problem) ? { kind: 'skipped' } : result;
}

function isUntried({ kind, details: { facts } }: Problem): boolean {
  return kind === 'interrupted' && facts?.['request_sent'] !== true && facts?.['accepted'] !== true;
}

function rowOf<Item, Row>(result: Result<Row>, item: Item, { undone }: Batch<Item, Row>): Row | Promise<Row> {
  if (result.kind === 'done') return result.row;
  if (result.kind === 'skipped') return undone(item, null, undefined);
  const { message, details } = result.problem;
  return undone(item, { code: codeOf(result.problem), message }, details.partial?.value);
}

/** What it means for the one change: a wait that was given up says nothing against the change it was for. */
function codeOf({ kind, details: { facts } }: Problem): Problem['kind'] {
  if (facts?.['request_sent'] === true) return 'outcome_unknown';
  return facts?.['accepted'] === true ? 'pending' : kind;
}

/** Where something was seen of it, that is the result; otherwise there is none. */
function alone<Row>(problem: Problem, rows: readonly Row[]): Problem {
  if (!problem.details.partial) return problem;
  return problem.with({ partial: { value: rows } });
}

interface Failure {
  readonly name: string;
  readonly problem: Problem;
}

interface Several<Row> {
  readonly failures: readonly Failure[];
  /** What kept the rest from being tried. */
  readonly stop: Problem;
  readonly rows: readonly Row[];
  readonly succeeded: ReadonlyMap<string, readonly string[]>;
  readonly notTried: readonly string[];
}

function ofSeveral<Row>({ failures, stop, rows, succeeded, notTried }: Several<Row>): Problem {
  const worst = failures.find(({ problem }) => codeOf(problem) === 'outcome_unknown')?.problem ?? failures[0]?.problem;
  const { kind, message, details } = worst ?? stop;
  const sentences = failures.length === 0 ? [message] : failures.map(sentenceOf);
  // An unknown outcome matters more than a failure.
  const isInPart = succeeded.size > 0 && kind !== 'outcome_unknown' && kind !== 'interrupted';
  const inPart = isInPart ? { exitCode: 1 } : {};
  const resumes = resumesOf(failures);
  const hint = resumes === undefined ? {} : { hint: resumes };
  const said = partialMessage({ failures: sentences, succeeded, notTried });
  return new Problem(kind, said, { ...details, ...inPart, ...hint, partial: { value: rows } });
}

function sentenceOf({ name, problem }: Failure): string {
  // Such a message says itself that the operation is still running, or that its outcome is unknown.
  const isOpen = ['pending', 'outcome_unknown'].includes(codeOf(problem));
  return `${name}${isOpen ? '' : ' failed'}: ${problem.message}`;
}

/** The commands that watch what is still running. */
function resumesOf(failures: readonly Failure[]): readonly CommandLine[] | undefined {
  const hints = failures.map(({ problem }) => (codeOf(problem) === 'pending' ? problem.details.hint : undefined));
  const known = hints.filter((hint) => hint !== undefined && typeof hint !== 'string');
  return known.length > 1 && known.length === hints.length ? known.flat() : undefined;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error('no such item');
  return item;
}
