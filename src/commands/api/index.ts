import { customCommand } from '../../builders/custom-command.ts';
import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Method } from '../../contract/operation.ts';
import { accountParam, stackParam } from '../../contract/params.ts';
import { type Row, record } from '../../contract/record.ts';
import { opaqueReply, type RawResponse } from '../../contract/reply.ts';
import { CliError, rethrowWithPartial } from '../../errors/cli-error.ts';
import { everyOperation } from '../../resources/index.ts';
import { readAllPages, readPath, readPayload, sendRaw } from './send.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const Endpoint = record(
  'endpoint',
  {
    method: text('HTTP method.'),
    path: text('Path, relative to the base address.'),
    scope: text('Required scope; `none`: no token is needed.'),
    purpose: text('Purpose.'),
  },
  ['method', 'path', 'scope', 'purpose'],
);

const params = {
  method: optional(
    text('HTTP method (default: GET, or POST with fields or --input).', { label: 'METHOD', nameKind: 'method' }),
  ),
  path: optional(text('Path, relative to the base address.', { label: 'PATH' })),
  stack_id: optional(stackParam),
  account_id: optional(accountParam),
  raw_field: optional(
    many(
      text('Name and value.', { label: 'key=value', assigns: [] }),
      'Add a string to the query (GET) or JSON body; a[b]=c nests, a[]=c lists.',
      { short: 'f', noSplit: true, empty: 'a= is an empty one.' },
    ),
  ),
  field: optional(
    many(
      text('Name and value.', { label: 'key=value', assigns: [] }),
      'Add a typed value: true, false, null, a whole number, @file or @- (stdin). Sent after -f.',
      { short: 'F', noSplit: true, effects: ['reads_file'], empty: 'a= is an empty text.' },
    ),
  ),
  input: optional(text('Send a JSON file as the body; - reads stdin.', { nameKind: 'file' })),
  paginate: optional(flag('Read all pages; print their items as one array.')),
  include: optional(flag('Print status and headers before the response; with --json, all in one object.')),
  list: optional(flag('List the known endpoints.')),
};
type ApiInput = Values<typeof params>;

const api = customCommand({
  restriction: 'raw',
  moreEffects: ['reads_service', 'prints_secret'],
  about: 'Send a request to any endpoint and print the whole response.',
  params,
  positionals: ['method', 'path'],
  examples: [
    'stackops api /accounts/{account}',
    'stackops api /stacks/{stack}/deployments --paginate -s shop',
    'stackops api PUT /stacks/{stack}/environments/LOG_LEVEL -f value=debug -s shop',
    'stackops api --list',
  ],
  calls: [],
  output: { kind: 'document', reply: opaqueReply, table: Endpoint, tableWith: 'list' },
  changes: (input) => !input.list && readMethodAndPath(input).method !== 'GET',
  run: async (context, input) => {
    if (input.list) return listEndpoints(input);
    const { method, path } = readMethodAndPath(input);
    refuseFlagConflicts(method, input);
    const target = readPath(await fillPlaceholders(context, path));
    const apiCall = { method, target, payload: await readPayload(context, method, input) };
    const throwWithResponse = rethrowWithPartial((response: RawResponse) => selectOutput(response, input));
    if (input.paginate) return readAllPages(context, apiCall).catch(throwWithResponse);
    return selectOutput(await sendRaw(context, apiCall).catch(throwWithResponse), input);
  },
  present: presentOutput,
});

export const apiCommands = { api } satisfies Menu;

function listEndpoints(input: ApiInput): readonly Row[] {
  if (input.method !== undefined)
    throw new CliError('usage', `unexpected argument "${input.method}": --list takes none`);
  return everyOperation().map(([, { method, path, scope, about }]) => ({ method, path, scope, purpose: about }));
}

type MethodAndPath = { readonly method: Method; readonly path: string };

function readMethodAndPath({ method: word, path, raw_field, field, input }: ApiInput): MethodAndPath {
  const missingPathError = (where: string) =>
    new CliError('usage', `the path is missing${where}`, { hint: { path: 'api', flags: ['--list'] } });
  if (word === undefined) throw missingPathError('');
  const hasPayload = [raw_field, field, input].some((one) => one !== undefined);
  if (path === undefined && !isMethod(word)) return { method: hasPayload ? 'POST' : 'GET', path: word };
  const method = word.toUpperCase();
  if (!isMethod(method)) throw new CliError('usage', `unknown method "${word}"; use one of ${methods.join(', ')}`);
  if (path === undefined) throw missingPathError(` after ${method}`);
  return { method, path };
}

function isMethod(text: string): text is Method {
  return methods.some((method) => method === text);
}

function refuseFlagConflicts(method: Method, { paginate, include, input, field, raw_field }: ApiInput): void {
  const refuse = (why: string): never => {
    throw new CliError('usage', why);
  };
  if (paginate && method !== 'GET') refuse(`--paginate works with GET only, not with ${method}`);
  if (paginate && include) refuse('--paginate and --include cannot be combined: each page has its own headers');
  if (input !== undefined && (field ?? raw_field))
    refuse('--input cannot be combined with -f and -F: the file is the whole body');
  if (input !== undefined && method === 'GET') refuse('--input needs a method other than GET: a GET has no body');
}

const placeholders = { '{stack}': stackParam, '{account}': accountParam };

async function fillPlaceholders(context: Context, path: string): Promise<string> {
  let filled = path;
  for (const [name, field] of Object.entries(placeholders)) {
    if (filled.includes(name))
      filled = filled.replaceAll(name, encodeURIComponent(String(await context.resolveTarget(field))));
  }
  return filled;
}

function selectOutput(answer: RawResponse, { include }: ApiInput): unknown {
  return include ? answer : answer.body;
}

function presentOutput(value: unknown, { list, include }: ApiInput): Presentation {
  if (list) return { kind: 'table', record: Endpoint, rows: value as readonly Row[] };
  if (!include) return { kind: 'document', head: [], value };
  const { status, headers, body } = value as RawResponse;
  const lines = Object.entries(headers).map(([name, text]) => `${name}: ${text}`);
  return { kind: 'document', head: [`HTTP ${status}`, ...lines, ''], value: body };
}
