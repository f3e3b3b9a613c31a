import { many, optional, text } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readPair } from '../../fields/read-value.ts';

export function declareBodyFields(about: string) {
  return optional(
    many(text('Name and value.', { label: 'name=value', assigns: [] }), about, {
      noSplit: true,
      empty: 'name= is an empty text.',
    }),
  );
}

/** Reads `k=v…`. Throws `usage` for an argument without a name or `=`, and for a name that is part of the path. */
export function readBodyFields(pairs: readonly string[], inPath: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = readPair(pair, '--field must be NAME=VALUE');
      if (inPath.includes(name)) {
        throw new CliError('usage', `--field cannot set "${name}": it is part of the path`);
      }
      return [name, readLiteral(value, String)];
    }),
  );
}

/** Converts `true`, `false`, `null` and whole numbers; `convertLarge` converts unsafe integers. Other text stays. */
export function readLiteral(text: string, convertLarge: (text: string) => unknown): unknown {
  if (!/^(true|false|null|0|-?[1-9][0-9]*)$/.test(text)) return text;
  const value: unknown = JSON.parse(text);
  return typeof value !== 'number' || Number.isSafeInteger(value) ? value : convertLarge(text);
}
