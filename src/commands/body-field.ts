import { many, optional, text } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';

type BodyValue = string | number | boolean | null;

const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** The flag that takes them. */
export function bodyFields(about: string) {
  return optional(many(text('Name and value.', { label: 'name=value', assigns: [] }), about, { whole: true }));
}

/**
 * `k=v…` as fields of a body: `true`, `false`, `null` and whole numbers as what they say, anything else as text.
 * Throws usage for a word without a name or value, and for names that stand in the address.
 */
export function readBodyFields(
  words: readonly string[],
  inAddress: readonly string[],
): Readonly<Record<string, BodyValue>> {
  return Object.fromEntries(
    words.map((word) => {
      const cut = word.indexOf('=');
      if (cut < 1) throw new Problem('usage', `--field is "${word}"; it must be NAME=VALUE`);
      const name = word.slice(0, cut);
      if (inAddress.includes(name)) {
        throw new Problem('usage', `--field is "${word}"; "${name}" stands in the address and not in the body`);
      }
      return [name, readValue(word.slice(cut + 1))];
    }),
  );
}

function readValue(text: string): BodyValue {
  if (Object.hasOwn(literals, text)) return literals[text] ?? null;
  const isInteger = /^(0|-?[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
  return isInteger ? Number(text) : text;
}
