import { Problem } from '../problems/problem.ts';

/** `reset`: the request is carried out and the connection cut before any answer. */
export type FaultOutcome = number | 'reset';

/** One rule of `--fail`: which requests, what they get, and how often. */
export interface Fault {
  /** Undefined for any method. */
  readonly method: string | undefined;
  /** Relative to the base address; `*` stands for one segment. */
  readonly path: string;
  readonly outcome: FaultOutcome;
  readonly times: number;
}

const grammar = /^(?:([A-Z]+|\*) )?(\/\S*)=(reset|[45]\d\d)(?:x([1-9]\d{0,5}))?$/;

/** Reads one rule of `--fail`, `[METHOD ]/PATH=OUTCOME[xTIMES]`; without a number it holds every time. Throws usage. */
export function parseFault(rule: string): Fault {
  const [, method, path, outcome, times] = grammar.exec(rule.trim()) ?? [];
  if (path === undefined) {
    throw new Problem('usage', `--fail "${rule}" is not METHOD /PATH=STATUS, with a status from 400 to 599 or reset`, {
      hint: "stackops sandbox start --fail 'POST /stacks/*/deployments=503x2'",
    });
  }
  return {
    method: method === '*' ? undefined : method,
    path,
    outcome: outcome === 'reset' ? 'reset' : Number(outcome),
    times: times === undefined ? Number.POSITIVE_INFINITY : Number(times),
  };
}

/** Says what the next request gets instead of its answer, and counts; the first rule that fits wins. */
export type FaultScript = (method: string, path: string) => FaultOutcome | undefined;

export function createFaultScript(faults: readonly Fault[]): FaultScript {
  const rules = faults.map((fault) => ({ ...fault, left: fault.times }));
  return (method, path) => {
    const rule = rules.find((each) => each.left > 0 && fits(each, method, path));
    if (!rule) return undefined;
    rule.left -= 1;
    return rule.outcome;
  };
}

function fits(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  const parts = fault.path.split('/');
  const segments = path.split('/');
  return parts.length === segments.length && parts.every((part, index) => part === '*' || part === segments[index]);
}
