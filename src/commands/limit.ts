import type { Context } from '../contract/command.ts';

/** For a list a command only passes on: reading stops when enough rows have come. */
export function upToLimit({ limit }: Context): { readonly limit?: number } {
  return limit === undefined ? {} : { limit };
}
