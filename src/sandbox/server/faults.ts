import type { HttpResponse } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { jsonAnswer } from '../answer.ts';

/** A status; `reset`: the change is made, but the connection closes; `throttled`: the 503 of the service. */
type FaultOutcome = number | 'reset' | 'throttled';

export type Fault = ReturnType<typeof parseFault>;

const grammar = /^(?:([A-Z]+|\*) )?(\/\S*)=(reset|throttled|[45]\d\d)(?:x([1-9]\d{0,5}))?$/;

/** Parses `[METHOD ]/PATH=OUTCOME[xTIMES]`. A `*` matches one segment. Throws usage. */
export function parseFault(rule: string) {
  const [, method, path, outcome, times] = grammar.exec(rule.trim()) ?? [];
  if (path === undefined) {
    throw new CliError('usage', `--fail must be METHOD /PATH=STATUS (400 to 599, reset or throttled), not "${rule}"`, {
      hint: "stackops sandbox start --fail 'POST /stacks/*/deployments=503x2'",
    });
  }
  return {
    method: method === '*' ? undefined : method,
    path,
    outcome: (outcome === 'reset' || outcome === 'throttled' ? outcome : Number(outcome)) as FaultOutcome,
    times: times === undefined ? Number.POSITIVE_INFINITY : Number(times),
  };
}

/** Returns the fault for the next request and counts it; the first matching rule wins. */
export function createFaultScript(faults: readonly Fault[]) {
  const rules = faults.map((fault) => ({ ...fault, left: fault.times }));
  return (method: string, path: string): FaultOutcome | undefined => {
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

/** The response for a fault; undefined to send the real one or to close the connection. */
export function faultAnswer(outcome: FaultOutcome | undefined): HttpResponse | undefined {
  if (outcome === undefined || outcome === 'reset') return undefined;
  if (outcome !== 'throttled') {
    return jsonAnswer(outcome, { error: 'sandbox_fault', details: `simulated failure (${outcome})` });
  }
  const { headers, ...answer } = jsonAnswer(503, {
    error: 'throttled',
    error_description: 'Too many requests in this hour.',
    details: 'The limit of 3000 requests an hour is reached.',
  });
  return { ...answer, headers: { ...headers, 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '0' } };
}
