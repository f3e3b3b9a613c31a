import type { HttpResponse } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { jsonResponse } from '../answer.ts';

/** A status to send. `reset`: carry out the request, then close the connection. `throttled`: 503 for the rate limit. */
type FaultOutcome = number | 'reset' | 'throttled';

export type Fault = ReturnType<typeof parseFault>;

const faultPattern = /^(?:([A-Z]+|\*) )?(\/\S*)=(reset|throttled|[45]\d\d)(?:x([1-9]\d{0,5}))?$/;

/** Parses `[METHOD ]/PATH=OUTCOME[xTIMES]`; `*` means any method or path segment. Throws `usage` for other text. */
export function parseFault(rule: string) {
  const [, method, path, outcome, times] = faultPattern.exec(rule.trim()) ?? [];
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

/** Returns a function that finds the fault for a request, if any, and counts it. The first matching rule decides. */
export function createFaultFinder(faults: readonly Fault[]) {
  const rules = faults.map((fault) => ({ ...fault }));
  return (method: string, path: string): FaultOutcome | undefined => {
    const rule = rules.find((one) => one.times > 0 && matchesRequest(one, method, path));
    if (rule) rule.times -= 1;
    return rule?.outcome;
  };
}

function matchesRequest(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  const parts = fault.path.split('/');
  const segments = path.split('/');
  return parts.length === segments.length && parts.every((part, index) => part === '*' || part === segments[index]);
}

/** Returns the response of a fault; undefined if the request is carried out: without a fault, and for `reset`. */
export function faultResponse(outcome: FaultOutcome | undefined): HttpResponse | undefined {
  if (outcome === undefined || outcome === 'reset') return undefined;
  if (outcome !== 'throttled') {
    return jsonResponse(outcome, { error: 'sandbox_fault', details: `simulated failure (${outcome})` });
  }
  const { headers, ...response } = jsonResponse(503, {
    error: 'throttled',
    error_description: 'Too many requests in this hour.',
    details: 'The limit of 3000 requests an hour is reached.',
  });
  return { ...response, headers: { ...headers, 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '0' } };
}
