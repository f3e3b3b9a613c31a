import type { Environment } from '../../contract/host.ts';
import { readFileBelow, utf8Text } from '../../files/named-file.ts';
import { type Expression, isReference } from '../entry.ts';

interface ReferenceSources {
  readonly env: Environment;
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
export async function resolveReferences(expressions: readonly Expression[], sources: ReferenceSources) {
  const { env, folder, secret: readSecret } = sources;
  const readers = {
    env: (name: string) => env[name] ?? '',
    file: (path: string) => withoutLineEnd(utf8Text(readFileBelow(folder, path, maxBytes) ?? new Uint8Array(), path)),
    secret: async (reference: string) => withoutLineEnd((await readSecret?.(reference)) ?? ''),
  };
  const references = expressions.filter(isReference);
  const textByKey = new Map<string, string>();
  for (const { kind, from } of references) {
    const key = `${kind} ${from}`;
    if (!textByKey.has(key)) textByKey.set(key, await readers[kind](from));
  }
  return new Map<Expression, string>(references.map((one) => [one, textByKey.get(`${one.kind} ${one.from}`) ?? '']));
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
