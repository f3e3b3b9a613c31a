import { hintText } from '../../contract/command-line.ts';
import { nullable, oneOf, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import type { Folders } from '../../files/folders.ts';
import { Problem } from '../../problems/problem.ts';
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
);
export type Finding = RecordOf<typeof Finding>;
/** What a check found, and the command or sentence that repairs it. */
export type CheckResult = Omit<Finding, 'check'>;

/** How far one request came; `stage` is where it ended. */
export type Probed =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly isJson: boolean;
      readonly date: string | undefined;
    }
  | {
      readonly kind: 'failure';
      readonly stage: 'DNS' | 'TCP' | 'TLS' | 'certificate' | 'proxy' | 'HTTP';
      readonly message: string;
    };

export interface ProxyInUse {
  /** `host:port`, never user and password. */
  readonly host: string;
  /** Whether `no_proxy` exempts the address. */
  readonly isExempt: boolean;
}

/** What only `doctor` needs of the process. */
export interface DoctorServices {
  readonly version: string;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  /** One GET without repeats, 10 seconds at most; throws a Problem where no request may be sent. */
  readonly probe: (baseUrl: URL, path: string, token?: string) => Promise<Probed>;
  /** The proxy that the environment asks for; throws usage for one that cannot be used. */
  readonly proxyFor: (baseUrl: URL) => ProxyInUse | undefined;
}

/** What every check may use. */
export interface DoctorContext {
  readonly now: () => Date;
  readonly services: Services;
  readonly doctor: DoctorServices;
  readonly folders: Folders;
}

export const ok = (found: string): CheckResult => ({ state: 'ok', found, repair: null });
export const skipped = (found: string): CheckResult => ({ state: 'skipped', found, repair: null });
export const warning = (found: string, repair: string): CheckResult => ({ state: 'warning', found, repair });
/** Without a repair where another check has it. */
export const problem = (found: string, repair: string | null): CheckResult => ({ state: 'problem', found, repair });

/** The hint of a problem, as a repair. */
export function repairOf({ details: { hint } }: Problem): string | undefined {
  return hint && hintText(hint);
}

/** The finding of one check, which fails alone: what it throws is what it found. */
export async function runCheck(check: string, find: () => CheckResult | Promise<CheckResult>): Promise<Finding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === 'interrupted') throw error;
    return { check, ...problem(error.message, repairOf(error) ?? null) };
  }
}
