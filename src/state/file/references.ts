import { readFileBelow, utf8Text } from '../../files/named-file.ts';
import type { Expression } from '../entry.ts';

export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the file that holds the references. */
  readonly folder: string;
  /** Runs the secret_command of the profile; absent when none is set. */
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
}

const mostBytes = 65_536;

/**
 * The texts of references, each read once. Empty for an unset variable, a missing file, and without a secret_command. Throws
 * usage for a file outside the folder, a link out of it, and other unreadable files.
 */
export async function resolveReferences(
  expressions: readonly Expression[],
  { env, folder, secret }: ReferenceSources,
): Promise<ReadonlyMap<Expression, string>> {
  const readers = {
    env: (name: string) => env[name] ?? '',
    file: (path: string) => withoutLineEnd(utf8Text(readFileBelow(folder, path, mostBytes) ?? new Uint8Array(), path)),
    secret: async (reference: string) => withoutLineEnd((await secret?.(reference)) ?? ''),
  };
  const texts = new Map<string, string>();
  const resolved = new Map<Expression, string>();
  for (const expression of expressions) {
    if (!('from' in expression)) continue;
    const { kind, from } = expression;
    const name = `${kind} ${from}`;
    const text = texts.get(name) ?? (await readers[kind](from));
    texts.set(name, text);
    resolved.set(expression, text);
  }
  return resolved;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
