import { createHash } from 'node:crypto';
import type { HttpAnswer } from '../../contract/exchange.ts';
import type { ConsentRequest } from '../state.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.4rem 1.2rem;margin-right:.5rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Asks for consent; the answer is posted with the one-time id of the request. */
export function consentPage({ id, scopes, redirect }: ConsentRequest, clientId: string): HttpAnswer {
  const items = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('');
  const button = (decision: string, label: string) =>
    `<button id="${decision}" name="decision" value="${decision}">${label}</button>`;
  const body = `<h1>Sandbox sign-in</h1>
<p><strong>${escapeHtml(clientId)}</strong> asks for access to Harbour Books with these scopes:</p>
<ul>${items}</ul>
<p>Nothing here is real. The answer goes to <code>${escapeHtml(redirect)}</code>.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="request" value="${escapeHtml(id)}">
${button('accept', 'Accept')}
${button('decline', 'Decline')}
</form>`;
  // Browsers hold the redirect that answers a form to form-action too, so the client's origin must be in it.
  return htmlAnswer(200, { title: 'Sandbox sign-in', body, formTargets: `'self' ${new URL(redirect).origin}` });
}

/** Says what is wrong with an authorization request that must not be redirected. */
export function faultPage(text: string): HttpAnswer {
  const body = `<h1>This sign-in cannot go on</h1>\n<p>${escapeHtml(text)}</p>`;
  return htmlAnswer(400, { title: 'Sandbox sign-in', body, formTargets: "'none'" });
}

interface Page {
  readonly title: string;
  readonly body: string;
  readonly formTargets: string;
}

function htmlAnswer(status: number, { title, body, formTargets }: Page): HttpAnswer {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const head = `<meta charset="utf-8"><title>${title}</title><style>${style}</style>`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    text: `<!doctype html>\n<html lang="en"><head>${head}</head>\n<body>\n${body}\n</body></html>\n`,
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
