import { Problem } from '../../problems/problem.ts';

/** Letters, digits and `.-_`, with a letter or digit at both ends. */
const hostName = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u;
const ipv4 = /^\d+(\.\d+){3}$/;
const longest = 2048;

/** The address of the site on a host. A bare IP address has no certificate, so it is http. `what` is for the error. */
export function siteOf(host: string, what: string): string {
  const address = `${ipv4.test(host) ? 'http' : 'https'}://${host}`;
  if (hostName.test(host) && URL.canParse(address)) return new URL(address).origin;
  return webAddress(host, what);
}

/** The same address if a browser may open it: http or https, without credentials. Throws unavailable for any other text. */
export function webAddress(text: string, what: string): string {
  const url = /^https?:\/\/[^\s\p{C}]+$/iu.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const isOpenable = url && url.username === '' && url.password === '' && url.href.length <= longest;
  if (isOpenable) return url.href;
  throw new Problem('unavailable', `${what} is not a web address: "${shown(text)}"; it was not opened`);
}

/** The beginning of a text, without what may be a user name and a password. */
function shown(text: string): string {
  const safe = text.replace(/(^|\/\/)[^/]*@/, '$1***@');
  return safe.length > 80 ? `${safe.slice(0, 80)}…` : safe;
}
