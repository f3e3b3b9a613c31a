import type { Operation } from './operation.ts';

type Input = Readonly<Record<string, unknown>>;

/** The command that shows whether a write took effect: `stackops variant list -s 5f3c…`; undefined where nothing can. */
export function checkCommand({ check }: Operation, input: Input): string | undefined {
  return filled(check, input);
}

/** The command that lists what there is where the thing asked for is not: `stackops variant list -s 5f3c…`. */
export function listCommand({ lister }: Operation, input: Input): string | undefined {
  return filled(lister, input);
}

function filled(words: string | undefined, input: Input): string | undefined {
  return words && `stackops ${words.replace(/\{([a-z_]+)\}/g, (_, name: string) => String(input[name]))}`;
}
