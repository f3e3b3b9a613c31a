import type { HttpRequest } from '../contract/exchange.ts';
import { quotedWord } from '../contract/values/shell-word.ts';
import { shownJson } from '../output/formats/json-text.ts';

/** A write that was checked and not sent. */
export interface Rehearsed {
  readonly request: HttpRequest;
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly needsToken: boolean;
}

/** Method, address and body, as they would go out, except for secrets; a blank line in front of all but the first. */
export function rehearsalLines({ request, baseUrl }: Rehearsed, at: number): readonly string[] {
  const head = [...(at === 0 ? [] : ['']), `${request.method} ${addressOf(request, baseUrl)}`];
  const body = bodyOf(request);
  return body === undefined ? head : [...head, 'Content-Type: application/json', '', ...body.split('\n')];
}

/** The same as data; the body as the object it is. */
export async function rehearsalData({ request, baseUrl }: Rehearsed): Promise<Readonly<Record<string, unknown>>> {
  const body = bodyOf(request);
  return {
    dry_run: true,
    method: request.method,
    url: addressOf(request, baseUrl),
    body: body === undefined ? null : await shownJson(body),
  };
}

/** The same as a line to paste: the token comes from the environment of whoever does, other secrets by hand. */
export function curlLine({ request, baseUrl, needsToken }: Rehearsed): string {
  const parts = ['curl', '--fail-with-body', '-X', request.method];
  if (needsToken) parts.push('-H', '"Authorization: Bearer $STACKOPS_TOKEN"');
  if (request.account !== undefined) parts.push('-H', quotedWord(`X-Account: ${request.account}`));
  parts.push('-H', quotedWord('Accept: application/json'));
  const body = bodyOf(request);
  if (body !== undefined) {
    parts.push('-H', quotedWord('Content-Type: application/json'), '--data-binary', quotedWord(body));
  }
  return [...parts, quotedWord(addressOf(request, baseUrl))].join(' ');
}

/** True when what is printed leaves a secret out. */
export function hidesSecrets({ request }: Rehearsed): boolean {
  return request.shownPath !== undefined;
}

function bodyOf({ body, shownBody }: HttpRequest): string | undefined {
  return shownBody ?? body;
}

function addressOf({ path, shownPath, query, shownQuery }: HttpRequest, baseUrl: string): string {
  const search = (shownQuery ?? query).toString();
  return `${baseUrl}${shownPath ?? path}${search ? `?${search}` : ''}`;
}
