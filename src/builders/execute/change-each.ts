import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, nullable, text, type ValueOf } from '../../contract/field.ts';
import { asCliError, CliError, expectCliError } from '../../errors/cli-error.ts';

interface Batch<Item, Row> {
  readonly nameOf: (item: Item) => string;
  readonly changeItem: (item: Item) => Promise<Row>;
  /** The number of items that are changed at the same time; the default is four. */
  readonly atOnce?: number;
  /** An item begins after all items with a lower number have ended. */
  readonly phaseOf?: (item: Item) => number;
  /** Returns what was done to an item, `created`, or undefined if it needed no change. The default is `succeeded`. */
  readonly outcomeOf?: (row: Row) => string | undefined;
  /** Returns the row of a failed item or, with a null `error`, an untried item. `observed` is the error's `partial`. */
  readonly unfinishedRow: (item: Item, error: ItemError, observed: unknown) => Row | Promise<Row>;
}

const errorFields = { code: text('Kind of failure.'), message: text('What went wrong.') };
export const itemErrorField = nullable(group(errorFields, 'Why it failed.'));
export type ItemError = ValueOf<typeof itemErrorField>;

const maxChangesAtOnce = 4;

type ItemResult<Item, Row> = { readonly item: Item } & (
  | { readonly kind: 'done'; readonly row: Row }
  | { readonly kind: 'failed'; readonly error: CliError }
  | { readonly kind: 'skipped' }
);

/** Changes items, some at the same time. After the first failure no other item starts, unless --keep-going is given. */
export async function changeEach<Item, Row>(
  context: Pick<Context, 'keepGoing'>,
  items: readonly Item[],
  batch: Batch<Item, Row>,
): Promise<readonly Row[]> {
  const { nameOf } = batch;
  const allResults = await runAll(items, batch, context.keepGoing);
  const results = items.length === 1 ? allResults : allResults.map(skippedIfUnsent);
  const rows = await Promise.all(results.map((result) => resultRow(result, batch)));
  const failed = allResults.find((result) => result.kind === 'failed');
  if (!failed) return rows;
  const partial = { value: rows };
  // The row of a single item is printed only if its error has a partial result: the state that was observed.
  if (items.length === 1) throw failed.error.details.partial ? failed.error.with({ partial }) : failed.error;
  const failures = results.filter((result) => result.kind === 'failed');
  const errors = failures.map(({ error }) => error);
  const { kind, message, details } =
    errors.find((error) => kindForChange(error) === 'outcome_unknown') ??
    errors.find((error) => error.kind !== 'differs') ??
    errors[0] ??
    failed.error;
  const failureTexts = failures.map(({ item, error }) => sentenceOf(nameOf(item), error));
  const succeededByOutcome = namesByOutcome(results, batch);
  const untriedNames = results.filter((result) => result.kind === 'skipped').map(({ item }) => nameOf(item));
  // If a part succeeded, the exit code is 1, unless the error is of a kind whose own exit code tells more.
  const isPartialSuccess = succeededByOutcome.size > 0 && !['outcome_unknown', 'interrupted', 'differs'].includes(kind);
  const exitCode = isPartialSuccess ? 1 : details.exitCode;
  const hint = resumeCommandsOf(errors) ?? details.hint;
  const sentences = failures.length === 0 ? [message] : failureTexts;
  const text = partialMessage(sentences, succeededByOutcome, untriedNames);
  throw new CliError(kind, text, { ...details, exitCode, hint, partial });
}

async function runAll<Item, Row>(items: readonly Item[], batch: Batch<Item, Row>, keepGoing: boolean) {
  const { changeItem, atOnce = maxChangesAtOnce, phaseOf = () => 0 } = batch;
  const tryItem = async (item: Item): Promise<ItemResult<Item, Row>> => {
    try {
      return { item, kind: 'done', row: await changeItem(item) };
    } catch (error) {
      // A bug in one change must not hide the results of the other changes.
      const cliError = items.length > 1 ? asCliError(error, 'unavailable') : expectCliError(error);
      return { item, kind: 'failed', error: cliError };
    }
  };
  const results: ItemResult<Item, Row>[] = items.map((item) => ({ item, kind: 'skipped' }));
  let isStopped = false;
  const processQueue = async (queue: Iterable<[number, Item]>): Promise<void> => {
    for (const [index, item] of queue) {
      if (isStopped) return;
      const result = await tryItem(item);
      results[index] = result;
      if (result.kind === 'failed' && (!keepGoing || result.error.kind === 'interrupted')) isStopped = true;
    }
  };
  for (const phase of [...new Set(items.map(phaseOf))].sort((a, b) => a - b)) {
    const phaseItems = [...items.entries()].filter(([, item]) => phaseOf(item) === phase);
    const queue = phaseItems.values();
    await Promise.all(Array.from({ length: Math.min(atOnce, phaseItems.length) }, () => processQueue(queue)));
  }
  return results;
}

type NamesByOutcome = ReadonlyMap<string, readonly string[]>;

function namesByOutcome<Item, Row>(results: readonly ItemResult<Item, Row>[], batch: Batch<Item, Row>): NamesByOutcome {
  const { nameOf, outcomeOf = () => '' } = batch;
  const names = new Map<string, readonly string[]>();
  for (const result of results) {
    const outcome = result.kind === 'done' ? outcomeOf(result.row) : undefined;
    if (outcome !== undefined) names.set(outcome, [...(names.get(outcome) ?? []), nameOf(result.item)]);
  }
  return names;
}

function skippedIfUnsent<Item, Row>(result: ItemResult<Item, Row>): ItemResult<Item, Row> {
  if (result.kind !== 'failed') return result;
  const { kind, details } = result.error;
  const isRequestSent = details.extra?.['request_sent'] === true || details.extra?.['accepted'] === true;
  return kind === 'interrupted' && !isRequestSent ? { item: result.item, kind: 'skipped' } : result;
}

function resultRow<Item, Row>(result: ItemResult<Item, Row>, { unfinishedRow }: Batch<Item, Row>): Row | Promise<Row> {
  if (result.kind === 'done') return result.row;
  if (result.kind === 'skipped') return unfinishedRow(result.item, null, undefined);
  const { message, details } = result.error;
  return unfinishedRow(result.item, { code: kindForChange(result.error), message }, details.partial?.value);
}

/** Returns the kind of error for the change record: an interrupted change is unknown or, once accepted, pending. */
export function kindForChange({ kind, details: { extra } }: CliError): CliError['kind'] {
  if (extra?.['request_sent'] === true) return 'outcome_unknown';
  return extra?.['accepted'] === true ? 'pending' : kind;
}

function sentenceOf(name: string, error: CliError): string {
  // The message of a difference may begin with the stack, which is also `name`, so only the cause is used.
  if (error.kind === 'differs') return `${name}: ${error.why}`;
  // Messages of these two kinds are whole sentences, so `failed` is not added.
  const isWholeSentence = ['pending', 'outcome_unknown'].includes(kindForChange(error));
  return `${name}${isWholeSentence ? '' : ' failed'}: ${error.message}`;
}

function resumeCommandsOf(errors: readonly CliError[]): readonly CommandLine[] | undefined {
  const hints = errors.map((error) => (kindForChange(error) === 'pending' ? error.details.hint : undefined));
  const commands = hints.filter((hint) => hint !== undefined && typeof hint !== 'string');
  return commands.length > 1 && commands.length === hints.length ? commands.flat() : undefined;
}

/** Processes items in turn. An error after the first item gets exit code 1, and the earlier results as `partial`. */
export async function eachInTurn<Item, Finished>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  processItem: (item: Item) => Promise<Finished>,
): Promise<readonly Finished[]> {
  const finishedResults: Finished[] = [];
  for (const item of items) {
    try {
      finishedResults.push(await processItem(item));
    } catch (error) {
      if (finishedResults.length === 0 || !(error instanceof CliError)) throw error;
      const names = items.map(nameOf);
      const succeededByOutcome = new Map([['', names.slice(0, finishedResults.length)]]);
      const untriedNames = names.slice(finishedResults.length + 1);
      const message = partialMessage([`${nameOf(item)} failed: ${error.message}`], succeededByOutcome, untriedNames);
      throw error.with({ exitCode: 1, partial: { value: finishedResults } }, message);
    }
  }
  return finishedResults;
}

/** Returns `B failed: access denied (403). A was created. Not tried: C, D.` */
function partialMessage(failures: readonly string[], succeeded: NamesByOutcome, untried: readonly string[]): string {
  const successTexts = [...succeeded].map(([outcome, names]) => {
    const verb = names.length === 1 ? 'was' : 'were';
    return `${names.join(', ')} ${outcome === '' ? 'succeeded' : `${verb} ${outcome}`}`;
  });
  const notTriedTexts = untried.length > 0 ? [`Not tried: ${untried.join(', ')}`] : [];
  return inSentences([...failures, ...successTexts, ...notTriedTexts]);
}

/** Joins sentences with full stops. A single sentence gets no full stop, like any error message. */
export function inSentences(sentences: readonly string[]): string {
  if (sentences.length === 1) return sentences.join('');
  return sentences.map((sentence) => `${sentence.replace(/\.$/, '')}.`).join(' ');
}
