import type { Post } from './auth/exchange.ts';
import type { Host } from './host.ts';
import { openNetwork } from './session.ts';

const limitMs = 30_000;
const mostBytes = 64 * 1024;

/** The token request of a login: sent once, no redirects, at most 64 KiB of answer. */
export function postForm(host: Host): Post {
  return async (url, form) => {
    const transport = await openNetwork(new URL(url.origin), host);
    try {
      const request = {
        method: 'POST' as const,
        path: url.pathname,
        query: url.searchParams,
        body: form.toString(),
        contentType: 'application/x-www-form-urlencoded',
      };
      const signal = AbortSignal.any([host.signal, AbortSignal.timeout(limitMs)]);
      const { status, text } = await transport(request, undefined, signal);
      if (text.length > mostBytes) throw new Error('the answer is larger than 64 KiB');
      return { status, text };
    } finally {
      await transport.close();
    }
  };
}
