import type { HttpResponse } from '../contract/exchange.ts';

/** What the service says of its rate limit: `x-ratelimit-remaining 3597`. */
export function limitsIn({ headers }: HttpResponse): readonly string[] {
  const limits = Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit-'));
  return limits.map(([name, value]) => `${name} ${value}`);
}

/**
 * True for a refusal because of the limit, and when less than a tenth of it is left; undefined where the response does
 * not say.
 */
export function isNearLimit({ status, headers }: HttpResponse): boolean | undefined {
  if (status === 429) return true;
  const left = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const limit = Number(headers['x-ratelimit-limit'] ?? Number.NaN);
  return Number.isNaN(left) || Number.isNaN(limit) ? undefined : left < limit / 10;
}
