import type { Context } from '../contract/command.ts';
import { many, optional, text } from '../contract/field.ts';
import { CliError } from '../errors/cli-error.ts';

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
    throw new CliError('usage', `the value read for ${key} is empty; nothing was changed`, {
      retry: { with: ['--allow-empty'] },
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
  throw new CliError('usage', message, texts.length === 1 && retryWith ? { retry: { with: [retryWith] } } : {});
}

function split(text: string, kind: string): TypedAssignment {
  const cut = text.indexOf('=');
  if (cut === 0) throw new CliError('usage', `"${text}" has no ${kind} name: write KEY${text}`);
  return { key: checkKey(text.slice(0, cut), kind), value: text.slice(cut + 1) };
}

/** Throws usage for a name that cannot stand in the path of a request. */
export function checkKey(key: string, kind = 'environment variable'): string {
  if (isKey(key)) return key;
  throw new CliError('usage', `${JSON.stringify(key)} is not a valid ${kind} name`);
}

export function isKey(key: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected on purpose
  return /^[^\u0000-\u0020\u007f-\u009f/=]{1,256}$/.test(key) && key !== '.' && key !== '..';
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

export function bodyFields(about: string) {
  return optional(
    many(text('Name and value.', { label: 'name=value', assigns: [] }), about, {
      noSplit: true,
      empty: 'name= is an empty text.',
    }),
  );
}

/**
 * `k=v…` as fields of a body: `true`, `false`, `null` and whole numbers are typed, anything else is text.
 * Throws usage for an argument without a name or `=`, and for names that are part of the path.
 */
export function readBodyFields(pairs: readonly string[], inPath: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1) throw new CliError('usage', `--field must be NAME=VALUE, not "${pair}"`);
      const name = pair.slice(0, cut);
      if (inPath.includes(name)) {
        throw new CliError('usage', `--field cannot set "${name}": it is part of the path`);
      }
      return [name, readLiteral(pair.slice(cut + 1), String)];
    }),
  );
}

/** `true`, `false`, `null` and whole numbers are typed, one beyond the safe integers by `large`; anything else is text. */
export function readLiteral(text: string, large: (text: string) => unknown): unknown {
  if (!/^(true|false|null|0|-?[1-9][0-9]*)$/.test(text)) return text;
  const value: unknown = JSON.parse(text);
  return typeof value !== 'number' || Number.isSafeInteger(value) ? value : large(text);
}
