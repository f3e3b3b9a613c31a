import type { Operation } from './operation.ts';

/** The command that shows whether a write took effect: `stackops variant list -s 5f3c…`; undefined where nothing can. */
export function checkCommand({ check }: Operation, input: Readonly<Record<string, unknown>>): string | undefined {
  if (check === undefined) return undefined;
  return `stackops ${check.replace(/\{([a-z_]+)\}/g, (_, name: string) => String(input[name]))}`;
}
