import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { singleQuoted } from '../contract/values/text.ts';
import { parseOrText } from '../output/formats/json-result.ts';
import { hasDataFormat } from '../output/view.ts';
import type { DryRunRequest, Run, Session } from './app.ts';
import { writeResult } from './write-result.ts';

export function createDryRunRequest(session: Session, operation: Operation, input: Input): DryRunRequest {
  const stack = input['stack_id'];
  return {
    request: session.toRequest(operation, input),
    baseUrl: session.baseUrl(),
    needsToken: operation.scope !== 'none',
    stack: typeof stack === 'string' ? session.destination().stackName(stack) : undefined,
  };
}

function dryRunLines(dryRunRequest: DryRunRequest, index: number): readonly string[] {
  // Before all but the first request there is a blank line.
  const { method, url, body } = maskedParts(dryRunRequest);
  const head = [...(index === 0 ? [] : ['']), `${method} ${url}`];
  return body === undefined ? head : [...head, 'Content-Type: application/json', '', ...body.split('\n')];
}

export async function dryRunData(dryRunRequest: DryRunRequest): Promise<Readonly<Record<string, unknown>>> {
  const { method, url, body } = maskedParts(dryRunRequest);
  return { dry_run: true, method, url, body: body === undefined ? null : await parseOrText(body) };
}

function curlCommand(dryRunRequest: DryRunRequest): string {
  // The token comes from the environment; other secrets are `***`.
  const { method, url, body } = maskedParts(dryRunRequest);
  const { account } = dryRunRequest.request;
  const curlWords = ['curl', '--fail-with-body', '-X', method];
  if (dryRunRequest.needsToken) curlWords.push('-H', '"Authorization: Bearer $STACKOPS_TOKEN"');
  if (account !== undefined) curlWords.push('-H', singleQuoted(`X-Account: ${account}`));
  curlWords.push('-H', singleQuoted('Accept: application/json'));
  if (body !== undefined) {
    curlWords.push('-H', singleQuoted('Content-Type: application/json'), '--data-binary', singleQuoted(body));
  }
  return [...curlWords, singleQuoted(url)].join(' ');
}

function maskedParts({ request, baseUrl }: DryRunRequest) {
  const { path, query, body } = request.masked ?? request;
  return { method: request.method, url: `${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`, body };
}

export async function showDryRun({ line, app, view, unsentRequests }: Run): Promise<void> {
  if (line.options.curl) {
    if (!view.quiet && unsentRequests.some(({ request }) => request.masked))
      await app.err.lines(['replace *** before you run it']);
    return app.out.lines(unsentRequests.map(curlCommand));
  }
  if (!hasDataFormat(view)) return app.out.lines(unsentRequests.flatMap(dryRunLines));
  const data = await Promise.all(unsentRequests.map(dryRunData));
  const value: unknown = data.length === 1 ? data[0] : data;
  // --fields, --where, --sort and --limit apply to the response, so the request is printed whole.
  const { fields: _fields, where: _where, sort: _sort, limit: _limit, ...wholeView } = view;
  await writeResult({ value, presentation: { kind: 'nothing' } }, wholeView, app);
}
