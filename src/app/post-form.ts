import type { Post } from '../auth/login-flow.ts';
import type { Host } from '../cli/host.ts';
import { openNetwork } from './session.ts';

const mostBytes = 64 * 1024;

/** The token request of a login: no retries, no redirects, at most 64 KiB of response. */
export function postForm(host: Host): Post {
  return async (url, form) => {
    const transport = await openNetwork(new URL(url.origin), host, { attemptTimeoutMs: 30_000 });
    try {
      const request = {
        method: 'POST' as const,
        path: url.pathname,
        query: url.searchParams,
        body: form.toString(),
        contentType: 'application/x-www-form-urlencoded',
      };
      const { status, text } = await transport(request, undefined, host.signal);
      if (text.length > mostBytes) throw new Error('the response is larger than 64 KiB');
      return { status, text };
    } finally {
      await transport.close();
    }
  };
}
