import type { Status, Watch } from '../../contract/observe.ts';

/** The same watch, of which the first status is known already. */
export function watchFrom(first: Status, { check, ...watch }: Watch): Watch {
  let known: Status | undefined = first;
  return {
    ...watch,
    check: async () => {
      const status = known ?? (await check());
      known = undefined;
      return status;
    },
  };
}
