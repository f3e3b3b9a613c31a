import { isLoopback } from '../contract/values/loopback.ts';

const longest = 2048;

/**
 * Opens a sign-in address in the browser: https, or http to this machine. False when it was not opened. Never throws,
 * because the address was printed before. The only importer of `open`.
 */
export async function openBrowser(url: URL): Promise<boolean> {
  if (!isSafe(url)) return false;
  try {
    const { default: open } = await import('open');
    const child = await open(url.href);
    child.on('error', () => undefined);
    return true;
  } catch {
    return false;
  }
}

function isSafe(url: URL): boolean {
  const allowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  return allowed && url.username === '' && url.password === '' && url.href.length <= longest;
}
