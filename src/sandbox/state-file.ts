import { join } from 'node:path';

/** Where `--sandbox` keeps its world between calls; `state` is the state folder of the tool. */
export function sandboxStateFile({ state }: { readonly state: string }): string {
  return join(state, 'sandbox.json');
}
