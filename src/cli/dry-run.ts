import type { HttpRequest } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { quotedWord } from '../contract/values/shell-word.ts';
import { shownJson } from '../output/formats/json-result.ts';
import type { DryRunRequest, Session } from './world.ts';

export function unsentRequest(session: Session, operation: Operation, input: Input): DryRunRequest {
  const stack = input['stack_id'];
  return {
    request: session.toRequest(operation, input),
    baseUrl: session.baseUrl(),
    needsToken: operation.scope !== 'none',
    stack: typeof stack === 'string' ? session.destination().stackName(stack) : undefined,
  };
}

/** Method, address and body without secrets; a blank line comes before every request but the first. */
export function dryRunLines({ request, baseUrl }: DryRunRequest, at: number): readonly string[] {
  const head = [...(at === 0 ? [] : ['']), `${request.method} ${addressOf(request, baseUrl)}`];
  const body = bodyOf(request);
  return body === undefined ? head : [...head, 'Content-Type: application/json', '', ...body.split('\n')];
}

export async function dryRunData({ request, baseUrl }: DryRunRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = bodyOf(request);
  return {
    dry_run: true,
    method: request.method,
    url: addressOf(request, baseUrl),
    body: body === undefined ? null : await shownJson(body),
  };
}

/** The same as a curl command: the token comes from the environment, and other secrets are `***`. */
export function curlLine({ request, baseUrl, needsToken }: DryRunRequest): string {
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

export function hidesSecrets({ request }: DryRunRequest): boolean {
  return request.shownPath !== undefined;
}

function bodyOf({ body, shownBody }: HttpRequest): string | undefined {
  return shownBody ?? body;
}

function addressOf({ path, shownPath, query, shownQuery }: HttpRequest, baseUrl: string): string {
  const search = (shownQuery ?? query).toString();
  return `${baseUrl}${shownPath ?? path}${search ? `?${search}` : ''}`;
}
