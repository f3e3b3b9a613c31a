import { CliError } from '../../errors/cli-error.ts';
import { faultText, isEntryResolved } from './compare.ts';
import type { ComparedStack } from './read.ts';
import { isWrite } from './rows.ts';

/** Throws `rejected` if an entry is impossible in a stack. The error has a line for each such entry. */
export function refuseFaults(comparedStacks: readonly ComparedStack[]): void {
  const hasSeveralStacks = comparedStacks.length > 1;
  const lines = comparedStacks.flatMap((one) =>
    faultsOf(one).map((fault) => (hasSeveralStacks ? `${fault} (${one.stack.name})` : fault)),
  );
  throwForLines(lines, ['one entry is', 'entries are'], 'impossible');
}

function throwForLines(lines: readonly string[], [one, several]: readonly [string, string], problem: string): void {
  if (lines.length === 0) return;
  const countText = lines.length === 1 ? one : `${lines.length} ${several}`;
  throw new CliError('rejected', `${countText} ${problem}`, { nothing: 'sent', lines: [...new Set(lines)] });
}

function faultsOf({ faults, differences }: ComparedStack): readonly string[] {
  return [
    ...faults,
    ...differences.flatMap(({ isImpossible, reason, entry, path }) =>
      isImpossible ? [faultText({ ...entry, path }, reason ?? '')] : [],
    ),
  ];
}

/** Throws `rejected` if a reference has no value on this machine. */
export function refuseUnresolved(comparedStacks: readonly ComparedStack[]): void {
  const entries = new Set(
    comparedStacks.flatMap(({ differences }) => differences.filter((one) => !isEntryResolved(one))),
  );
  const lines = [...entries].map(({ entry: { source }, path }) => `${source.file}:${source.line}: ${path}`);
  throwForLines(lines, ['one reference is', 'references are'], 'unset or empty');
}

/** The values of `why` that mean a certain or a possible change at the service. */
export const driftReasons: readonly (string | null)[] = ['drifted', 'both', 'unknown'];

/** Throws `rejected` if a planned change would overwrite a certain or possible change at the service. */
export function refuseDrift(comparedStacks: readonly ComparedStack[]): void {
  const lines = comparedStacks.flatMap(({ stack, differences }) =>
    differences
      .filter((one) => isWrite(one) && driftReasons.includes(one.why))
      .map(
        ({ path, why, item }) =>
          `${stack.name}: ${path}: ${why}${item?.changed_at ? `, changed ${item.changed_at}` : ''}`,
      ),
  );
  if (lines.length === 0) return;
  const message = 'the service differs from the file, and not only by edits of the file';
  const hint = '--take file overwrites these, --take service leaves them';
  throw new CliError('rejected', message, { nothing: 'sent', lines, hint });
}

/** Returns the error of the first section that could not be read; undefined if all were read. */
export function unreadError(comparedStacks: readonly ComparedStack[]): CliError | undefined {
  const [first, ...more] = comparedStacks.flatMap(({ stack, unread }) => unread.map((one) => ({ stack, ...one })));
  if (!first) return undefined;
  const names = new Set([first, ...more].map(({ section }) => section.name));
  const why = `not checked: ${[...names].join(', ')}`;
  return first.error.with({ stack: first.stack.name, why }, `${first.stack.name}: ${why}: ${first.error.message}`);
}
