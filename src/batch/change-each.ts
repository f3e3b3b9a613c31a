import type { Context } from '../contract/command.ts';
import { group, nullable, text, type ValueOf } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';

/** How several things are changed, each on its own. */
export interface Batch<Item, Row> {
  readonly nameOf: (item: Item) => string;
  readonly act: (item: Item) => Promise<Row>;
  /** What is reported of one that failed, with the record in which that was seen, or of one that was not tried. */
  readonly undone: (item: Item, error: ItemError, seen: unknown) => Row;
}

/** Why one of several failed, as the JSON error tells it. */
export const itemError = nullable(
  group({ code: text('Kind of failure.'), message: text('What went wrong.') }, 'Why it failed.'),
);
export type ItemError = ValueOf<typeof itemError>;

/** What became of one that did not go through. */
export function failedOrNot(error: ItemError): 'failed' | 'not tried' {
  return error ? 'failed' : 'not tried';
}

const atOnce = 4;

type Result<Row> =
  | { readonly kind: 'done'; readonly row: Row }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'skipped' };

/**
 * Changes several things, at most four at once. The first failure lets those under way end and starts no other, unless
 * --keep-going. One thing fails as it would alone; of several, with one that went through, the run failed in part: exit 1.
 */
export async function changeEach<Item, Row>(
  context: Pick<Context, 'keepGoing'>,
  items: readonly Item[],
  batch: Batch<Item, Row>,
): Promise<readonly Row[]> {
  const results = await runAll(items, batch.act, context.keepGoing);
  const rows = results.map((result, index) => rowOf(result, at(items, index), batch));
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [{ name: batch.nameOf(at(items, index)), problem: result.problem }] : [],
  );
  const [first] = failures;
  if (!first) return rows;
  const namesOf = (kind: Result<Row>['kind']) =>
    items.filter((_, index) => results[index]?.kind === kind).map(batch.nameOf);
  throw items.length === 1
    ? alone(first.problem, rows)
    : ofSeveral(failures, rows, { done: namesOf('done'), skipped: namesOf('skipped') });
}

async function runAll<Item, Row>(
  items: readonly Item[],
  act: (item: Item) => Promise<Row>,
  keepGoing: boolean,
): Promise<readonly Result<Row>[]> {
  const results: Result<Row>[] = items.map(() => ({ kind: 'skipped' }));
  const queue = items.entries();
  let stopped = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stopped) return;
      const result = await attempt(() => act(item));
      results[index] = result;
      if (result.kind === 'failed' && (!keepGoing || result.problem.kind === 'interrupted')) stopped = true;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

async function attempt<Row>(act: () => Promise<Row>): Promise<Result<Row>> {
  try {
    return { kind: 'done', row: await act() };
  } catch (error) {
    if (error instanceof Problem) return { kind: 'failed', problem: error };
    throw error;
  }
}

function rowOf<Item, Row>(result: Result<Row>, item: Item, { undone }: Batch<Item, Row>): Row {
  if (result.kind === 'done') return result.row;
  if (result.kind === 'skipped') return undone(item, null, undefined);
  const { kind, message, details } = result.problem;
  return undone(item, { code: kind, message }, details.partial?.value);
}

/** Where something was seen of it, that is the result; otherwise there is none. */
function alone<Row>(problem: Problem, rows: readonly Row[]): Problem {
  if (!problem.details.partial) return problem;
  return new Problem(problem.kind, problem.message, { ...problem.details, partial: { value: rows } });
}

interface Failure {
  readonly name: string;
  readonly problem: Problem;
}

function ofSeveral<Row>(
  failures: readonly Failure[],
  rows: readonly Row[],
  { done, skipped }: { readonly done: readonly string[]; readonly skipped: readonly string[] },
): Problem {
  const worst = failures.find(({ problem }) => problem.kind === 'outcome_unknown') ?? failures[0];
  if (!worst) throw new Error('nothing failed');
  const message = [
    ...failures.map(({ name, problem }) => `${name} failed: ${problem.message}`),
    ...(done.length > 0 ? [`done: ${done.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`not tried: ${skipped.join(', ')}`] : []),
  ].join('; ');
  const inPart = done.length > 0 ? { exitCode: 1 } : {};
  return new Problem(worst.problem.kind, message, { ...worst.problem.details, ...inPart, partial: { value: rows } });
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error('no such item');
  return item;
}
