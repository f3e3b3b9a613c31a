import { CliError } from '../../errors/cli-error.ts';
import { type Difference, faultText, isEntryResolved, isWrite } from './compare.ts';
import type { ComparedStack } from './compare-file.ts';
import type { StatePlan } from './rows.ts';

/** Throws `rejected` if an entry is impossible in a stack. The error has a line for each such entry. */
export function refuseFaults(comparedStacks: readonly ComparedStack[]): void {
  const lines = comparedStacks.flatMap(({ stack, faults, differences }) => {
    const impossible = differences.filter(({ isImpossible }) => isImpossible);
    const texts = impossible.map(({ entry, path, reason }) => faultText({ ...entry, path }, reason ?? ''));
    const suffix = comparedStacks.length > 1 ? ` (${stack.name})` : '';
    return [...faults, ...texts].map((text) => text + suffix);
  });
  throwForLines(lines, lines.length === 1 ? 'one entry is impossible' : `${lines.length} entries are impossible`);
}

function throwForLines(lines: readonly string[], message: string, hint?: string): void {
  if (lines.length > 0) throw new CliError('rejected', message, { nothing: 'sent', lines: [...new Set(lines)], hint });
}

export function unresolvedDifferences(comparedStacks: readonly ComparedStack[]): readonly Difference[] {
  return comparedStacks.flatMap(({ differences }) => differences.filter((one) => !isEntryResolved(one)));
}

/** True for a certain or possible change at the service. */
export function mayBeDrifted({ why }: Difference): boolean {
  return why === 'drifted' || why === 'both' || why === 'unknown';
}

/** `plan` is printed if a section could not be read; undefined to print nothing. */
type ReadyOptions = { readonly allowsDrift: boolean; readonly plan?: StatePlan };

/** Throws if a section could not be read, a reference has no value, or the changes may overwrite another change. */
export function refuseUnready(comparedStacks: readonly ComparedStack[], { allowsDrift, plan }: ReadyOptions): void {
  const readError = unreadError(comparedStacks);
  if (readError) throw readError.with({ nothing: 'sent', partial: plan && { value: plan } });
  const unresolved = unresolvedDifferences(comparedStacks).map(
    ({ entry: { source }, path }) => `${source.file}:${source.line}: ${path}`,
  );
  const countText = unresolved.length === 1 ? 'one reference is' : `${unresolved.length} references are`;
  throwForLines(unresolved, `${countText} unset or empty`);
  if (allowsDrift) return;
  const drifted = comparedStacks.flatMap(({ stack, differences }) =>
    differences.filter((one) => isWrite(one) && mayBeDrifted(one)).map((one) => driftLine(stack.name, one)),
  );
  const hint = '--take file overwrites these, --take service leaves them';
  throwForLines(drifted, 'the service differs from the file, and not only by edits of the file', hint);
}

function driftLine(stack: string, { path, why, item }: Difference): string {
  return `${stack}: ${path}: ${why}${item?.changed_at ? `, changed ${item.changed_at}` : ''}`;
}

export function unreadError(comparedStacks: readonly ComparedStack[]): CliError | undefined {
  const [first, ...more] = comparedStacks.flatMap(({ stack, unread }) => unread.map((one) => ({ stack, ...one })));
  if (!first) return undefined;
  const names = new Set([first, ...more].map(({ section }) => section.name));
  const why = `not checked: ${[...names].join(', ')}`;
  return first.error.with({ stack: first.stack.name, why }, `${first.stack.name}: ${why}: ${first.error.message}`);
}
