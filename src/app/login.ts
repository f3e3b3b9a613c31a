import type { PostForm } from '../auth/login-flow.ts';
import type { Host } from '../cli/host.ts';
import { openTransport } from './session.ts';

const maxAddressLength = 2048;

export async function openBrowser(url: URL): Promise<boolean> {
  const isWebAddress = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWebAddress || url.username !== '' || url.password !== '' || url.href.length > maxAddressLength) return false;
  try {
    const { default: open } = await import('open');
    const child = await open(url.href);
    child.on('error', () => undefined);
    return true;
  } catch {
    return false;
  }
}

/** True when a browser could open on the user's screen: not in CI, not over SSH, and not without a display. */
export function hasBrowser({ env, platform }: Pick<Host, 'env' | 'platform'>): boolean {
  if (['CI', 'SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some((name) => env[name])) return false;
  if (/^(darwin|win32)/.test(platform)) return true;
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => env[name]);
}

/** Returns a function that sends the token request of a login, without retries and redirects. */
export function createFormPoster(host: Host): PostForm {
  return async (url, form) => {
    const transport = await openTransport(new URL(url.origin), host, { attemptTimeoutMs: 30_000 });
    try {
      const request = {
        method: 'POST' as const,
        path: url.pathname,
        query: url.searchParams,
        body: form.toString(),
        contentType: 'application/x-www-form-urlencoded',
      };
      return await transport(request, undefined, host.signal);
    } finally {
      await transport.close();
    }
  };
}
