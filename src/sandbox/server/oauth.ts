import { hash } from 'node:crypto';
import type { HttpResponse } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/values/text.ts';
import type { AnswerOptions } from '../answer.ts';
import { randomSecret } from '../seed/made-up.ts';
import type { ConsentRequest } from '../state.ts';
import { scopeNames, tokenPrefix } from '../tokens.ts';
import type { ReceivedRequest } from './call.ts';

/** Client ID of the only client that the sandbox accepts. */
export const clientId = 'sandbox-client';

const consentLifeMs = 10 * 60_000;
const codeLifeMs = 60_000;

interface OAuthOptions extends Pick<AnswerOptions, 'state' | 'now' | 'replies' | 'strict'> {
  readonly clientSecret: string;
}

/** Answers `GET /oauth/authorize` with the consent page, an error page, or a redirect with `error`. */
export function showConsentPage({ state, now }: OAuthOptions, query: URLSearchParams): HttpResponse {
  if (query.get('client_id') !== clientId) {
    return errorPage(`Unknown client_id: the sandbox knows only ${clientId}.`);
  }
  // Errors in `redirect_url` itself get an error page, because nothing may be sent to an address that is not allowed.
  const redirectUrl = redirectUrlOf(query);
  if (redirectUrl === undefined) return errorPage('redirect_url is missing, or has two values.');
  if (!isLocalRedirect(redirectUrl))
    return errorPage('redirect_url must be an http address of this machine, such as http://127.0.0.1:34543/.');
  const errorCode = errorCodeOf(query);
  if (errorCode) return redirectTo(redirectUrl, { error: errorCode, state: query.get('state') });
  const request: ConsentRequest = {
    id: randomSecret(),
    redirect: redirectUrl,
    scopes: readScopes(query),
    state: query.get('state') ?? undefined,
    challenge: query.get('code_challenge') ?? undefined,
    expiresMs: now.getTime() + consentLifeMs,
  };
  state.oauth.requests = [...state.oauth.requests.filter(isFreshAt(now)), request];
  return consentPage(request);
}

/** Answers `POST /oauth/authorize` of the consent page with a redirect that carries a code or `access_denied`. */
export function decideConsent({ state, now }: OAuthOptions, form: URLSearchParams): HttpResponse {
  const request = state.oauth.requests.find(({ id }) => id === form.get('request'));
  if (!request || !isFreshAt(now)(request))
    return errorPage('This sign-in has expired or was already completed. Start again in the terminal.');
  state.oauth.requests = state.oauth.requests.filter((other) => other !== request);
  const { redirect, scopes, challenge } = request;
  if (form.get('decision') !== 'accept') {
    return redirectTo(redirect, { error: 'access_denied', state: request.state });
  }
  const code = randomSecret();
  const issuedCode = { code, redirect, scopes, challenge, expiresMs: now.getTime() + codeLifeMs };
  state.oauth.codes = [...state.oauth.codes.filter(isFreshAt(now)), issuedCode];
  return redirectTo(redirect, { code, state: request.state });
}

interface TokenRequest extends Pick<ReceivedRequest, 'contentType' | 'accept' | 'authorization'> {
  readonly form: URLSearchParams;
}

/** `POST /oauth/token`: a token for a code, once. JSON if accepted and `replies` is not `legacy`, else form-encoded. */
export function grantToken(options: OAuthOptions, request: TokenRequest): HttpResponse {
  const { form, contentType, accept } = request;
  if (!contentType.startsWith('application/x-www-form-urlencoded')) {
    return tokenError(400, 'invalid_request', 'the body must be form-encoded');
  }
  if (!hasValidCredentials(options, request)) {
    return tokenError(401, 'invalid_client', 'client_id or client_secret is wrong');
  }
  if ((form.get('grant_type') ?? 'authorization_code') !== 'authorization_code') {
    return tokenError(400, 'unsupported_grant_type', 'grant_type must be authorization_code');
  }
  const scopes = redeemCode(options, form);
  if (!scopes) return tokenError(400, 'invalid_grant', 'the code is unknown, used, expired or for another request');
  const token = `${tokenPrefix}${randomSecret()}`;
  options.state.oauth.tokens.push({ token, scopes });
  const asJson = accept.includes('application/json') && options.replies !== 'legacy';
  return tokenResponse(200, { access_token: token, token_type: 'bearer' }, asJson);
}

function hasValidCredentials(options: OAuthOptions, { form, authorization = '' }: TokenRequest): boolean {
  // service.md has ID and secret as form fields. Known clients send Basic credentials, which `strict` refuses.
  const [, encoded = ''] = /^Basic ([\w+/=]+)$/i.exec(authorization) ?? [];
  const [id, secret] = options.strict ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return (form.get('client_id') ?? id) === clientId && (form.get('client_secret') ?? secret) === options.clientSecret;
}

function redeemCode({ state, now }: OAuthOptions, form: URLSearchParams): readonly string[] | undefined {
  const issuedCode = state.oauth.codes.find(({ code }) => code === form.get('code'));
  if (!issuedCode) return undefined;
  // Even a failed attempt uses up the code.
  state.oauth.codes = state.oauth.codes.filter((other) => other !== issuedCode);
  const hasRedirect = form.has('redirect_url') || form.has('redirect_uri');
  const isSameRedirect = !hasRedirect || redirectUrlOf(form) === issuedCode.redirect;
  const { challenge, scopes } = issuedCode;
  const verifierHash = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
  const isVerified = challenge === undefined || verifierHash === challenge;
  return isFreshAt(now)(issuedCode) && isSameRedirect && isVerified ? scopes : undefined;
}

function redirectUrlOf(params: URLSearchParams): string | undefined {
  // service.md says redirect_url, but working clients send redirect_uri. A request may have both if they are equal.
  const addresses = new Set([...params.getAll('redirect_url'), ...params.getAll('redirect_uri')]);
  return addresses.size === 1 ? [...addresses][0] : undefined;
}

function isLocalRedirect(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && isLoopback(url) && url.username === '' && url.hash === '';
}

function errorCodeOf(query: URLSearchParams): string | undefined {
  if ((query.get('response_type') ?? 'code') !== 'code') return 'unsupported_response_type';
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'invalid_request';
  return readScopes(query).every((scope) => scopeNames.includes(scope)) ? undefined : 'invalid_scope';
}

function readScopes(query: URLSearchParams): readonly string[] {
  // service.md separates scopes by commas and many clients by spaces, so both are read.
  const scopes = (query.get('scope') ?? '').split(/[,\s]+/).filter((scope) => scope !== '');
  return scopes.length > 0 ? [...new Set(scopes)] : ['public'];
}

function redirectTo(address: string, params: Readonly<Record<string, string | null | undefined>>): HttpResponse {
  const url = new URL(address);
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined) url.searchParams.set(name, value);
  }
  return { status: 303, headers: { location: url.href, 'cache-control': 'no-store' }, text: '' };
}

function tokenResponse(status: number, fields: Readonly<Record<string, string>>, asJson: boolean): HttpResponse {
  const contentType = asJson ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded';
  const text = asJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
  return { status, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, text };
}

function tokenError(status: number, error: string, error_description: string): HttpResponse {
  return tokenResponse(status, { error, error_description }, true);
}

function isFreshAt(now: Date): (issued: { readonly expiresMs: number }) => boolean {
  return ({ expiresMs }) => expiresMs > now.getTime();
}

const pageStyle = [
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
const styleHash = hash('sha256', pageStyle, 'base64');

const scopeMeanings: Readonly<Record<string, string>> = {
  public: 'Read stacks, servers, deployments and backups; scale processes and change tags.',
  users: 'Read accounts and users, create one-time passwords and manage devices.',
  admin: 'Change environment variables, settings, databases, gateways and users; reboot servers.',
  redeploy: 'Start and cancel deployments, and change application variants.',
};

function consentPage({ id, scopes, redirect }: ConsentRequest): HttpResponse {
  const items = scopes.map((scope) => `<dt>${escapeHtml(scope)}</dt><dd>${scopeMeanings[scope] ?? ''}</dd>`);
  const body = `<h1>Allow access to Harbour Books?</h1>
<p><strong>${clientId}</strong> requests access with these scopes:</p>
<dl>
${items.join('\n')}
</dl>
<p>This is a sandbox: nothing here is real. You return to <code>${escapeHtml(redirect)}</code>.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="request" value="${escapeHtml(id)}">
<button id="accept" name="decision" value="accept">Accept</button>
<button id="deny" name="decision" value="deny">Deny</button>
</form>`;
  // Browsers apply `form-action` also to the redirect after the form, so `form-action` must name the client's origin.
  return htmlResponse(200, 'Allow access?', body, `'self' ${new URL(redirect).origin}`);
}

function errorPage(text: string): HttpResponse {
  const title = 'Sign-in cannot continue';
  return htmlResponse(400, title, `<h1>${title}</h1>\n<p>${escapeHtml(text)}</p>`, "'none'");
}

function htmlResponse(status: number, title: string, body: string, formTargets: string): HttpResponse {
  const securityPolicy = [
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
      'content-security-policy': securityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} - stackops sandbox</title><style>${pageStyle}</style></head>
<body><main>
${body}
</main></body></html>
`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
