import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { quotedWord } from '../contract/values/text.ts';
import { parseOrText } from '../output/formats/json-result.ts';
import { showsData } from '../output/view.ts';
import type { DryRunRequest, Run, Session } from './app.ts';
import { writeResult } from './write-result.ts';

export function unsentRequest(session: Session, operation: Operation, input: Input): DryRunRequest {
  const stack = input['stack_id'];
  return {
    request: session.toRequest(operation, input),
    baseUrl: session.baseUrl(),
    needsToken: operation.scope !== 'none',
    stack: typeof stack === 'string' ? session.destination().stackName(stack) : undefined,
  };
}

/** Returns method, address and body without secrets. Before all but the first request there is a blank line. */
export function dryRunLines(unsent: DryRunRequest, index: number): readonly string[] {
  const { method, url, body } = shownParts(unsent);
  const head = [...(index === 0 ? [] : ['']), `${method} ${url}`];
  return body === undefined ? head : [...head, 'Content-Type: application/json', '', ...body.split('\n')];
}

export async function dryRunData(unsent: DryRunRequest): Promise<Readonly<Record<string, unknown>>> {
  const { method, url, body } = shownParts(unsent);
  return { dry_run: true, method, url, body: body === undefined ? null : await parseOrText(body) };
}

/** Returns the request as a curl command. The token comes from the environment; other secrets are `***`. */
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

export async function showDryRun({ line, app, view, unsent }: Run): Promise<void> {
  if (line.options.curl) {
    if (!view.quiet && unsent.some(({ request }) => request.masked))
      await app.err.lines(['replace *** before you run it']);
    return app.out.lines(unsent.map(curlLine));
  }
  if (!showsData(view)) return app.out.lines(unsent.flatMap(dryRunLines));
  const data = await Promise.all(unsent.map(dryRunData));
  const value: unknown = data.length === 1 ? data[0] : data;
  // --fields, --where, --sort and --limit apply to the response, so the request is printed whole.
  const { fields: _fields, where: _where, sort: _sort, limit: _limit, ...wholeView } = view;
  await writeResult({ value, presentation: { kind: 'nothing' } }, wholeView, app);
}
