import { CliError } from '../../errors/cli-error.ts';
import { type Difference, faultText, isEntryResolved } from './compare.ts';
import type { ComparedStack } from './read.ts';
import { isWrite } from './rows.ts';

/** Throws `rejected` if an entry is impossible in a stack. The error has a line for each such entry. */
export function refuseFaults(comparedStacks: readonly ComparedStack[]): void {
  const lines = comparedStacks.flatMap(({ stack, faults, differences }) => {
    const impossible = differences.filter(({ isImpossible }) => isImpossible);
    const texts = impossible.map(({ entry, path, reason }) => faultText({ ...entry, path }, reason ?? ''));
    const suffix = comparedStacks.length > 1 ? ` (${stack.name})` : '';
    return [...faults, ...texts].map((text) => text + suffix);
  });
  throwForLines(lines, ['one entry is', 'entries are'], 'impossible');
}

function throwForLines(lines: readonly string[], [one, several]: readonly [string, string], problem: string): void {
  if (lines.length === 0) return;
  const countText = lines.length === 1 ? one : `${lines.length} ${several}`;
  throw new CliError('rejected', `${countText} ${problem}`, { nothing: 'sent', lines: [...new Set(lines)] });
}

/** Returns the differences of references that have no value on this machine. */
export function unresolvedDifferences(comparedStacks: readonly ComparedStack[]): readonly Difference[] {
  return comparedStacks.flatMap(({ differences }) => differences.filter((one) => !isEntryResolved(one)));
}

/** Throws `rejected` if a reference has no value on this machine. */
export function refuseUnresolved(comparedStacks: readonly ComparedStack[]): void {
  const lines = unresolvedDifferences(comparedStacks).map(
    ({ entry: { source }, path }) => `${source.file}:${source.line}: ${path}`,
  );
  throwForLines(lines, ['one reference is', 'references are'], 'unset or empty');
}

/** True for a certain or possible change at the service. */
export function mayBeDrifted({ why }: Difference): boolean {
  return why === 'drifted' || why === 'both' || why === 'unknown';
}

/** Throws `rejected` if a planned change would overwrite a certain or possible change at the service. */
export function refuseDrift(comparedStacks: readonly ComparedStack[]): void {
  const lines = comparedStacks.flatMap(({ stack, differences }) => {
    const drifted = differences.filter((one) => isWrite(one) && mayBeDrifted(one));
    return drifted.map(({ path, why, item }) => {
      const timeText = item?.changed_at ? `, changed ${item.changed_at}` : '';
      return `${stack.name}: ${path}: ${why}${timeText}`;
    });
  });
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
