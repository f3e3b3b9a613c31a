import type { Clock } from '../../contract/command.ts';
import { hintText } from '../../contract/command-line.ts';
import { nullable, oneOf, text } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Folders } from '../../files/folders.ts';

export const Finding = record(
  'check',
  {
    check: text('What was checked.'),
    state: oneOf(['ok', 'warning', 'problem', 'skipped'], 'Result of the check.'),
    found: text('What was found.'),
    repair: nullable(text('How to fix it: a command or a sentence.')),
  },
  ['check', 'state', 'found'],
  { wrappedColumn: 'found' },
);
export type Finding = RecordOf<typeof Finding>;
export type CheckResult = Omit<Finding, 'check'>;

export interface DoctorContext extends Pick<Clock, 'now' | 'elapsed'> {
  readonly host: CommandHost;
  readonly folders: Folders;
}

export const ok = (found: string): CheckResult => ({ state: 'ok', found, repair: null });
export const skipped = (found: string): CheckResult => ({ state: 'skipped', found, repair: null });
export const warning = (found: string, repair: string): CheckResult => ({ state: 'warning', found, repair });
/** `repair` is null when another check has the fix. */
export const problem = (found: string, repair: string | null): CheckResult => ({ state: 'problem', found, repair });

export function repairOf({ details: { hint } }: CliError): string | undefined {
  return hint && hintText(hint);
}

/** Runs one check. An error of the check becomes a finding, so that the other checks still run. */
export async function runCheck(check: string, find: () => CheckResult | Promise<CheckResult>): Promise<Finding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
    return { check, ...problem(error.message, repairOf(error) ?? null) };
  }
}
