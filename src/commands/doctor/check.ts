import type { Clock } from '../../contract/command.ts';
import { hintText } from '../../contract/command-line.ts';
import type { HttpResponse } from '../../contract/exchange.ts';
import { nullable, oneOf, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Folders } from '../../files/folders.ts';
import type { Services } from '../services.ts';

export const Finding = record(
  'check',
  {
    check: text('What was checked.'),
    state: oneOf(['ok', 'warning', 'problem', 'skipped'], 'Result of the check.'),
    found: text('What was found.'),
    repair: nullable(text('How to fix it: a command or a sentence.')),
  },
  ['check', 'state', 'found'],
  { wraps: 'found' },
);
export type Finding = RecordOf<typeof Finding>;
export type CheckResult = Omit<Finding, 'check'>;

/** No response came; `stage` is where the request failed. */
export interface ProbeFailure {
  readonly stage: 'DNS' | 'TCP' | 'TLS' | 'certificate' | 'proxy' | 'HTTP';
  readonly message: string;
}

export interface DoctorServices {
  readonly version: string;
  /** One GET without retries, at most 10 seconds; throws a Problem when no request may be sent. */
  readonly probe: (baseUrl: URL, path: string, token?: string) => Promise<HttpResponse | ProbeFailure>;
  /** `host:port` of the proxy in use; throws usage for an unusable one. */
  readonly proxyFor: (baseUrl: URL) => string | undefined;
}

export interface DoctorContext extends Pick<Clock, 'now' | 'elapsed'> {
  readonly services: Services;
  readonly doctor: DoctorServices;
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

/** Runs one check. A Problem becomes its finding, so the other checks still run. */
export async function runCheck(check: string, find: () => CheckResult | Promise<CheckResult>): Promise<Finding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
    return { check, ...problem(error.message, repairOf(error) ?? null) };
  }
}
