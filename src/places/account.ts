import type { Context } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import { accounts } from '../resources/account.ts';

/** The id given, else the account the token acts in, which is the only one where there is no other. */
export async function findAccount(call: Context['call'], given: string | undefined): Promise<number | string> {
  if (given !== undefined) return checkedId(given);
  const known = await call(accounts.list, {});
  const [only] = known;
  const current = known.find((account) => account.current_account) ?? (known.length === 1 ? only : undefined);
  if (current) return current.id;
  throw new Problem('usage', 'no account given, and none is marked as current', {
    hint: { path: 'account list' },
  });
}

function checkedId(given: string): string {
  if (/^[1-9][0-9]{0,18}$/.test(given)) return given;
  throw new Problem('usage', `--account must be a whole number, not "${given}"`);
}
