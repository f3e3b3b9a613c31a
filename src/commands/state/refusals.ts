import { CliError } from '../../errors/cli-error.ts';
import { faultText, isResolved } from './compare.ts';
import type { ComparedStack } from './read.ts';
import { isWrite } from './rows.ts';

/** Throws `rejected` if an entry is impossible in a stack. The error has a line for each such entry. */
export function refuseFaults(compared: readonly ComparedStack[]): void {
  const isSeveral = compared.length > 1;
  const lines = compared.flatMap((one) =>
    faultsOf(one).map((fault) => (isSeveral ? `${fault} (${one.stack.name})` : fault)),
  );
  refuseAll(lines, ['one entry is', 'entries are'], 'impossible');
}

function refuseAll(lines: readonly string[], [one, several]: readonly [string, string], state: string): void {
  if (lines.length === 0) return;
  const countText = lines.length === 1 ? one : `${lines.length} ${several}`;
  throw new CliError('rejected', `${countText} ${state}`, { nothing: 'sent', lines: [...new Set(lines)] });
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
export function refuseUnresolved(compared: readonly ComparedStack[]): void {
  const entries = new Set(compared.flatMap(({ differences }) => differences.filter((one) => !isResolved(one))));
  const lines = [...entries].map(({ entry: { source }, path }) => `${source.file}:${source.line}: ${path}`);
  refuseAll(lines, ['one reference is', 'references are'], 'unset or empty');
}

/** The values of `why` that mean a certain or a possible change at the service. */
export const foreignReasons: readonly (string | null)[] = ['drifted', 'both', 'unknown'];

/** Throws `rejected` if a planned change would overwrite a certain or possible change at the service. */
export function refuseForeign(compared: readonly ComparedStack[]): void {
  const lines = compared.flatMap(({ stack, differences }) =>
    differences
      .filter((one) => isWrite(one) && foreignReasons.includes(one.why))
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
export function unreadError(compared: readonly ComparedStack[]): CliError | undefined {
  const [first, ...more] = compared.flatMap(({ stack, unread }) => unread.map((one) => ({ stack, ...one })));
  if (!first) return undefined;
  const names = new Set([first, ...more].map(({ section }) => section.name));
  const why = `not checked: ${[...names].join(', ')}`;
  return first.error.with({ stack: first.stack.name, why }, `${first.stack.name}: ${why}: ${first.error.message}`);
}
