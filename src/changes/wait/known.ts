import type { Sight, Watch } from '../../contract/observe.ts';

/** The same watch, whose first look was taken already. */
export function watchFrom(first: Sight, { look, ...watch }: Watch): Watch {
  let known: Sight | undefined = first;
  return {
    ...watch,
    look: async () => {
      const sight = known ?? (await look());
      known = undefined;
      return sight;
    },
  };
}
