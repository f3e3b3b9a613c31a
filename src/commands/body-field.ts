import { many, optional, text } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';

type BodyValue = string | number | boolean | null;

const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** The parameter behind `--field`. */
export function bodyFields(about: string) {
  return optional(
    many(text('Name and value.', { label: 'name=value', assigns: [] }), about, {
      whole: true,
      empty: 'name= is an empty text.',
    }),
  );
}

/**
 * `k=v…` as fields of a body: `true`, `false`, `null` and whole numbers are typed, anything else is text.
 * Throws usage for an argument without a name or `=`, and for names that are part of the path.
 */
export function readBodyFields(
  pairs: readonly string[],
  inPath: readonly string[],
): Readonly<Record<string, BodyValue>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1) throw new Problem('usage', `--field must be NAME=VALUE, not "${pair}"`);
      const name = pair.slice(0, cut);
      if (inPath.includes(name)) {
        throw new Problem('usage', `--field cannot set "${name}": it is part of the path`);
      }
      return [name, readValue(pair.slice(cut + 1))];
    }),
  );
}

function readValue(text: string): BodyValue {
  if (Object.hasOwn(literals, text)) return literals[text] ?? null;
  const isInteger = /^(0|-?[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
  return isInteger ? Number(text) : text;
}
