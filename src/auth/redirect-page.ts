import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const stray = 'This address only completes a sign-in that stackops auth login has started.';

const pages = {
  'signed-in': {
    status: 200,
    title: 'Signed in',
    text: 'You are signed in. You can close this window and return to the terminal.',
  },
  denied: {
    status: 400,
    title: 'Access denied',
    text: 'You are not signed in, because access was denied. To try again, run stackops auth login in the terminal.',
  },
  failed: {
    status: 400,
    title: 'Sign-in failed',
    text: 'You are not signed in. Return to the terminal to see why.',
  },
  elsewhere: { status: 404, title: 'Not found', text: stray },
  method: { status: 405, title: 'Method not allowed', text: stray },
  host: { status: 421, title: 'Wrong address', text: stray },
  embedded: { status: 403, title: 'Not allowed', text: stray },
  prefetch: { status: 503, title: 'Not available yet', text: stray },
} as const;
export type PageName = keyof typeof pages;

const style = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:12vh auto 0;padding:0 1.25rem}',
  'main{border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:.75rem;padding:1.5rem}',
  'h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:0}',
].join('');
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a constant page: it contains nothing from the request or the service. */
export function sendPage(response: ServerResponse, name: PageName): void {
  const { status, title, text } = pages[name];
  const page = Buffer.from(htmlOf(title, text));
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': page.length,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...(name === 'method' && { Allow: 'GET' }),
  });
  response.end(page);
}

function htmlOf(title: string, text: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} - stackops</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`;
}
