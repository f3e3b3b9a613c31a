import type { Context } from '../../contract/command.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readPair } from '../../fields/read-value.ts';
import { isKey } from '../../resources/env.ts';

export interface TypedAssignment {
  readonly key: string;
  readonly value: string;
}

interface AssignmentInput {
  readonly assignments: readonly string[];
  readonly stdin?: boolean;
  readonly from_file?: string;
  readonly raw?: boolean;
  readonly allow_empty?: boolean;
}

/** `KEY=VALUE…`, or one KEY whose value comes from stdin or a file. Keys and values stay as typed. */
export async function readTypedAssignments(
  context: Context,
  input: AssignmentInput,
): Promise<readonly TypedAssignment[]> {
  if (!input.stdin && input.from_file === undefined)
    return readPairs(input.assignments, 'environment variable', '--stdin');
  const [key = '', ...more] = input.assignments;
  if (input.stdin && input.from_file !== undefined) throw new CliError('usage', 'use --stdin or --from-file, not both');
  if (more.length > 0 || key.includes('=')) {
    throw new CliError(
      'usage',
      `--stdin and --from-file set one variable: give only its name, not "${more[0] ?? key}"`,
    );
  }
  const text = await context.readText(input.from_file ?? '-');
  const value = input.raw ? text : text.replace(/\r?\n$/, '');
  if (value === '' && !input.allow_empty) {
    throw new CliError('usage', `the value read for ${key} is empty`, {
      nothing: 'changed',
      correction: { add: ['--allow-empty'] },
    });
  }
  return [{ key: checkKey(key), value }];
}

/**
 * `KEY=VALUE…`, split at the first `=`. A repeated pair counts once. Throws usage for anything else; `kind` is the noun in
 * messages, and `retryWith` the flag to suggest for a single KEY without a value.
 */
export function readPairs(texts: readonly string[], kind: string, retryWith?: string): readonly TypedAssignment[] {
  const bare = texts.find((text) => !text.includes('='));
  if (bare === undefined) return unique(texts.map((text) => split(text, kind)));
  const message = `"${bare}" has no "=": write ${bare}=VALUE`;
  throw new CliError('usage', message, texts.length === 1 && retryWith ? { correction: { add: [retryWith] } } : {});
}

function split(text: string, kind: string): TypedAssignment {
  const [key, value] = readPair(text);
  if (key === '') throw new CliError('usage', `"${text}" has no ${kind} name: write KEY${text}`);
  return { key: checkKey(key, kind), value };
}

/** Throws usage for a name that cannot stand in the path of a request. */
export function checkKey(key: string, kind = 'environment variable'): string {
  if (isKey(key)) return key;
  throw new CliError('usage', `${JSON.stringify(key)} is not a valid ${kind} name`);
}

function unique(assignments: readonly TypedAssignment[]): readonly TypedAssignment[] {
  const values = new Map<string, string>();
  for (const { key, value } of assignments) {
    // Only the operator knows which is right.
    if (values.has(key) && values.get(key) !== value)
      throw new CliError('usage', `${key} is given twice with different values`);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => ({ key, value }));
}
