import { readFileBelow, utf8Text } from '../../files/named-file.ts';
import { type Expression, isReference } from '../entry.ts';

export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the file that holds the references. */
  readonly folder: string;
  /** Runs the secret_command of the profile; undefined if the profile has none. */
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
}

const maxBytes = 65_536;

/**
 * Reads the text of each reference, equal references once. The text is empty for an unset variable, a missing file or a
 * missing secret_command. Throws `usage` for a file or link outside of the folder, and for an unreadable file.
 */
export async function resolveReferences(
  expressions: readonly Expression[],
  { env, folder, secret: readSecret }: ReferenceSources,
): Promise<ReadonlyMap<Expression, string>> {
  const readers = {
    env: (name: string) => env[name] ?? '',
    file: (path: string) => withoutLineEnd(utf8Text(readFileBelow(folder, path, maxBytes) ?? new Uint8Array(), path)),
    secret: async (reference: string) => withoutLineEnd((await readSecret?.(reference)) ?? ''),
  };
  const textByKey = new Map<string, string>();
  const textByExpression = new Map<Expression, string>();
  for (const expression of expressions.filter(isReference)) {
    const { kind, from } = expression;
    const cacheKey = `${kind} ${from}`;
    const text = textByKey.get(cacheKey) ?? (await readers[kind](from));
    textByKey.set(cacheKey, text);
    textByExpression.set(expression, text);
  }
  return textByExpression;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
