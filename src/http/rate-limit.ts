import type { HttpResponse } from '../contract/exchange.ts';

/** What the service says of its rate limit: `x-ratelimit-remaining 3597`. */
export function limitsIn({ headers }: HttpResponse): readonly string[] {
  const limits = Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit-'));
  return limits.map(([name, value]) => `${name} ${value}`);
}

/** True for a refusal because of the limit, and when less than a tenth of it is left. */
export function isNearLimit({ status, headers }: HttpResponse): boolean {
  const left = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  return status === 429 || left < Number(headers['x-ratelimit-limit'] ?? Number.NaN) / 10;
}
