import { createHash } from 'node:crypto';
import type { HttpResponse } from '../../contract/exchange.ts';
import type { ConsentRequest } from '../state.ts';

const style = [
  ':root{color-scheme:light dark;--line:#d0d7de;--accent:#1a7f37}',
  '@media(prefers-color-scheme:dark){:root{--line:#3d444d;--accent:#238636}}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:8vh auto;padding:0 1.25rem;overflow-wrap:anywhere}',
  'main{border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}',
  'h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:.75rem 0}',
  'dl{border-top:1px solid var(--line);margin:0}',
  'dt{font:600 .95rem ui-monospace,monospace;padding-top:.6rem}',
  'dd{margin:0;padding-bottom:.6rem;border-bottom:1px solid var(--line)}',
  'form{display:flex;flex-wrap:wrap;gap:.75rem}',
  'button{font:inherit;flex:1 1 8rem;padding:.6rem 1.2rem;border:1px solid var(--line);border-radius:.5rem;background:none;color:inherit}',
  '#accept{background:var(--accent);border-color:var(--accent);color:#fff;font-weight:600}',
].join('');
const styleHash = createHash('sha256').update(style).digest('base64');

const permissions: Readonly<Record<string, string>> = {
  public: 'Read stacks, servers, deployments and backups; scale processes and change tags.',
  users: 'Read accounts and users, create one-time passwords and manage devices.',
  admin: 'Change environment variables, settings, databases, gateways and users; reboot servers.',
  redeploy: 'Start and cancel deployments, and change application variants.',
};

/** Asks for consent. The form posts the decision with the one-time ID of the request. */
export function consentPage({ id, scopes, redirect }: ConsentRequest, clientId: string): HttpResponse {
  const items = scopes.map((scope) => `<dt>${escapeHtml(scope)}</dt><dd>${permissions[scope] ?? ''}</dd>`).join('\n');
  const body = `<h1>Allow access to Harbour Books?</h1>
<p><strong>${escapeHtml(clientId)}</strong> requests access with these scopes:</p>
<dl>
${items}
</dl>
<p>This is a sandbox: nothing here is real. You return to <code>${escapeHtml(redirect)}</code>.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="request" value="${escapeHtml(id)}">
<button id="accept" name="decision" value="accept">Accept</button>
<button id="deny" name="decision" value="deny">Deny</button>
</form>`;
  // Browsers apply form-action to the redirect after the form too, so it must name the client's origin.
  return htmlAnswer(200, { title: 'Allow access?', body, formTargets: `'self' ${new URL(redirect).origin}` });
}

/** Says what is wrong with an authorization request that must not be redirected. */
export function faultPage(text: string): HttpResponse {
  const body = `<h1>Sign-in cannot continue</h1>\n<p>${escapeHtml(text)}</p>`;
  return htmlAnswer(400, { title: 'Sign-in cannot continue', body, formTargets: "'none'" });
}

function htmlAnswer(
  status: number,
  { title, body, formTargets }: { readonly title: string; readonly body: string; readonly formTargets: string },
): HttpResponse {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} - stackops sandbox</title><style>${style}</style></head>
<body><main>
${body}
</main></body></html>
`,
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
