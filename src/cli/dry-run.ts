import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { quotedWord } from '../contract/values/text.ts';
import { shownJson } from '../output/formats/json-result.ts';
import type { DryRunRequest, Session } from './app.ts';

export function unsentRequest(session: Session, operation: Operation, input: Input): DryRunRequest {
  const stack = input['stack_id'];
  return {
    request: session.toRequest(operation, input),
    baseUrl: session.baseUrl(),
    needsToken: operation.scope !== 'none',
    stack: typeof stack === 'string' ? session.destination().stackName(stack) : undefined,
  };
}

/** Method, address and body without secrets, with a blank line between requests. */
export function dryRunLines(unsent: DryRunRequest, at: number): readonly string[] {
  const { method, url, body } = shownParts(unsent);
  const head = [...(at === 0 ? [] : ['']), `${method} ${url}`];
  return body === undefined ? head : [...head, 'Content-Type: application/json', '', ...body.split('\n')];
}

export async function dryRunData(unsent: DryRunRequest): Promise<Readonly<Record<string, unknown>>> {
  const { method, url, body } = shownParts(unsent);
  return { dry_run: true, method, url, body: body === undefined ? null : await shownJson(body) };
}

/** The request as a curl command. The token comes from the environment; other secrets are `***`. */
export function curlLine(unsent: DryRunRequest): string {
  const { method, url, body } = shownParts(unsent);
  const { account } = unsent.request;
  const parts = ['curl', '--fail-with-body', '-X', method];
  if (unsent.needsToken) parts.push('-H', '"Authorization: Bearer $STACKOPS_TOKEN"');
  if (account !== undefined) parts.push('-H', quotedWord(`X-Account: ${account}`));
  parts.push('-H', quotedWord('Accept: application/json'));
  if (body !== undefined) {
    parts.push('-H', quotedWord('Content-Type: application/json'), '--data-binary', quotedWord(body));
  }
  return [...parts, quotedWord(url)].join(' ');
}

function shownParts({ request, baseUrl }: DryRunRequest) {
  const { path, query, body } = request.masked ?? request;
  return { method: request.method, url: `${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`, body };
}
