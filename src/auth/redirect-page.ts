import type { ServerResponse } from 'node:http';

const texts = {
  'signed-in': [200, 'Signed in', 'You are signed in. You can close this window and return to the terminal.'],
  failed: [400, 'Not signed in', 'Signing in did not work. Return to the terminal to see why.'],
  elsewhere: [404, 'Nothing here', 'There is nothing here.'],
  method: [405, 'Not allowed', 'There is nothing here.'],
  host: [421, 'Wrong address', 'There is nothing here.'],
  embedded: [403, 'Not allowed', 'There is nothing here.'],
  prefetch: [503, 'Not yet', 'There is nothing here.'],
} as const;
export type PageName = keyof typeof texts;

/** Sends one of the constant pages. Nothing of the request is ever shown. */
export function sendPage(response: ServerResponse, name: PageName): void {
  const [status, title, text] = texts[name];
  const page = `<!doctype html><html lang="en"><title>${title}</title><p>${text}</p></html>\n`;
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': page.length,
    'Content-Security-Policy': "default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...(name === 'method' && { Allow: 'GET' }),
  });
  response.end(page);
}
