import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/contract/field.ts';
import { everyOperation } from '../../src/resources/index.ts';
import { ownReference, run } from '../support/stackops.ts';
import * as sample from './samples.ts';
import { type DocumentedOptions, type Exchange, startDocumented } from './service.ts';

/** One run of `every-operation.txt`: an operation of the service's document as an operator types it. */
interface Line {
  /** As the document has it. */
  readonly operation: string;
  readonly scope: string;
  readonly words: string;
  readonly stdin: string | undefined;
  readonly service: DocumentedOptions;
  readonly sends: string;
  readonly body: unknown;
  /** With `--json`; `undefined`: only the request counts. */
  readonly result: unknown;
  readonly code: number;
}

const { content: _, ...keylessGateway } = sample.gateway;
const { token: __, ...tokenlessDevice } = sample.device;
const samples: Readonly<Record<string, unknown>> = { ...sample, keylessGateway, tokenlessDevice };
const ids = { STACK: sample.stack, SERVER: sample.server, CLUSTER: sample.cluster, REFERENCE: ownReference };

/**
 * The runs of a text of operations, each with its scope:
 *
 *     GET /stacks/:id/backups: public
 *     $ backup list -s STACK                what is typed
 *     < device-token-1                      a line of stdin
 *     % {"forbidden":["GET /clusters"]}     how the service behaves
 *     > GET /stacks/STACK/backups {}        the one request, with its body
 *     ["$backup"]                           the JSON: a sample, or {"...":"$sample"} with other fields
 *     = 7                                   the exit code, when it is not 0
 */
function readLines(text: string): readonly Line[] {
  const filled = text.replaceAll(/\b(STACK|SERVER|CLUSTER|REFERENCE)\b/g, (id) => ids[id as keyof typeof ids]);
  return filled.split('\n\n').flatMap((block) => {
    const [heading = '', ...runs] = block.trimEnd().split('\n$ ');
    const [operation = '', scope = ''] = heading.split(': ');
    return runs.map((run) => ({ operation, scope, ...readRun(run) }));
  });
}

function readRun(text: string): Omit<Line, 'operation' | 'scope'> {
  const [words = '', ...rest] = text.split('\n');
  const marked = (mark: string) => rest.find((line) => line.startsWith(`${mark} `))?.slice(2);
  const [, sends = '', body] = /^(\S+ \S+) ?(.*)$/.exec(marked('>') ?? '') ?? [];
  const stdin = marked('<');
  const result = rest.find((line) => !/^[<%>=] /.test(line));
  return {
    words,
    stdin: stdin && `${stdin}\n`,
    service: JSON.parse(marked('%') ?? '{}'),
    sends,
    body: body ? JSON.parse(body) : undefined,
    result: result && JSON.parse(result, fillIn),
    code: Number(marked('=') ?? 0),
  };
}

/** A reviver: puts samples in, and the fields that a change record without an action has. */
function fillIn(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return samples[value.slice(1)];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { '...': base, ...fields } = value as Record<string, unknown>;
  const settled = 'change' in fields ? { action: null, message: null, error: null } : {};
  return { ...(base as object), ...settled, ...fields };
}

const secret = 'device-token-1';
const everyLine = readLines(readFileSync(join(import.meta.dirname, 'every-operation.txt'), 'utf8'));
const lines = everyLine.filter(({ result, code }) => result !== undefined || code !== 0);
const others = everyLine.filter((line) => !lines.includes(line));
const changes = everyLine.filter(({ sends }) => !sends.startsWith('GET '));

/** Offered although the document does not describe them; the last two are only asked by the way. */
const outside = [
  'GET /stacks',
  'GET /stacks/:id',
  'GET /stacks/:stack_id/actions',
  'GET /stacks/:stack_id/actions/:id',
  'GET /ping/auth',
  'GET /stacks/:stack_id/server_groups',
];
/** Both are documented under one path. */
const titles: Readonly<Record<string, string>> = {
  'backups.create': ' (Create Backup)',
  'backups.import': ' (Import Backup)',
};
/** Their replies are anything, and so is what a cluster is made of. */
const opaque = ['POST /clusters', 'GET /reference/clouds', 'GET /reference/webserver_modules'];
/** May be left out as far as the document goes; this tool always sends them. */
const alwaysSent = ['process_name', 'server_count', 'user_type', 'user_reference'];

const operations = new Map(
  everyOperation().map(([id, operation]) => [`${operation.method} ${operation.path}${titles[id] ?? ''}`, operation]),
);

test('the document has 60 operations, one of them in two shapes', () => {
  expect(lines).toHaveLength(61);
  expect(new Set(lines.map(({ operation }) => operation)).size).toBe(60);
});

test('the service made by hand imports nothing of the program', () => {
  const text = ['service.ts', 'samples.ts']
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('');
  expect([...text.matchAll(/from '(.*)'/g)].map(([, from]) => from)).toEqual([
    'node:http',
    'node:net',
    'vitest',
    './samples.ts',
  ]);
});

test('the catalogue has the operations of the document with their scopes, and six beside it', () => {
  const described = lines.map(({ operation, scope }) => [operation, scope] as const);
  const declared = [...operations].map(([name, one]) => [name, one.outside ? 'outside' : one.scope] as const);
  expect(new Map(declared)).toEqual(new Map([...described, ...outside.map((name) => [name, 'outside'] as const)]));
});

describe('every operation', () => {
  test.each(lines)('$operation: $words', async (line) => {
    const { words, result, stdin, service, code } = line;
    const { ran, seen } = await runAgainst([...words.split(' '), '--json'], stdin, service);
    expect({ code: ran.code, result: ran.stdout ? JSON.parse(ran.stdout) : undefined }).toEqual({ code, result });
    if (code === 0) expect(ran.stderr).toBe('');
    checkRequest(seen, line);
  });

  test.each(others)('$operation: $words', async (line) => {
    const { ran, seen } = await runAgainst(line.words.split(' '), line.stdin);
    expect(ran).toMatchObject({ code: 0 });
    checkRequest(seen, line);
  });

  test.each(lines)('$operation: $words, as people read it', async ({ words, stdin, service, code }) => {
    const { ran } = await runAgainst(words.split(' '), stdin, service);
    expect(ran.code).toBe(code);
    expect(ran.stdout === '').toBe(code !== 0);
  });

  test.each(changes)('$words --dry-run sends nothing', async ({ words, sends, stdin, service }) => {
    const { ran, seen } = await runAgainst([...words.split(' '), '--dry-run'], stdin, service);
    expect(ran.code).toBe(0);
    const [method, path = ''] = sends.split(' ');
    const start = `${method} http://HOST/api/3${path.replace(secret, '***')}\n`;
    expect(ran.stdout.replace(/127\.0\.0\.1:\d+/, 'HOST').slice(0, start.length)).toBe(start);
    expect(ran.stdout).not.toContain(secret);
    expect(seen.filter((request) => request.method !== 'GET')).toEqual([]);
  });

  test.each(lines)('$operation takes the parameters of its lines, and no more', ({ operation }) => {
    const same = everyLine.filter((one) => one.operation === operation).map(parametersOf);
    const declared = Object.entries<Field>(operations.get(operation)?.params ?? {});
    expect(declared.map(([name]) => name).toSorted()).toEqual([...new Set(same.flat())].toSorted());
    const optional = declared.filter(([, field]) => field.presence === 'optional').map(([name]) => name);
    const leftOut = (name: string) => alwaysSent.includes(name) || same.some((names) => !names.includes(name));
    expect(optional.filter((name) => !leftOut(name))).toEqual([]);
  });
});

/** What the program sent, and that it knows every field of what it was answered with. */
function checkRequest(seen: readonly Exchange[], { operation, sends, body, code }: Line): void {
  const sent = seen.filter(({ method, target }) => `${method} ${target}` === sends);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.body).toEqual(body);
  expect(sent[0]?.contentType).toBe(body === undefined ? undefined : 'application/json');
  expect(sent[0]?.authorization).toBe(sends.includes('/reference/') ? undefined : 'Bearer secret-token');
  const writes = seen.filter(({ method }) => method !== 'GET');
  expect(writes).toHaveLength(sends.startsWith('GET ') ? 0 : 1);
  const { reply } = operations.get(operation) ?? {};
  const known = [...Object.keys(reply?.record?.fields ?? {}), 'added'];
  if (code === 0 && !opaque.includes(operation))
    expect(known).toEqual(expect.arrayContaining(fieldsOf(sent[0]?.answer)));
}

/** The names in the object, or in the first one of the list, that was answered; none in a mere acknowledgement. */
function fieldsOf(answer: unknown): string[] {
  const { response = answer } = (answer ?? {}) as { readonly response?: unknown };
  const [row = {}] = [response].flat();
  const names = Object.keys(row as object);
  return names.every((name) => ['ok', 'message', 'added'].includes(name)) ? [] : names;
}

/** The parameters that one line sends in path, query and body, without what `--field` adds. */
function parametersOf({ operation, words, sends, body }: Line): readonly string[] {
  const inPath = [...operation.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inQuery = [...new URL(sends.split(' ')[1] ?? '', 'http://service').searchParams.keys()];
  const inBody = Object.keys(body ?? {}).filter((name) => !words.includes(`--field ${name}=`));
  return [...inPath, ...inQuery, ...inBody];
}

test('a service that does not make clusters yet says so in its own message', async () => {
  const { ran } = await runAgainst(['cluster', 'create', '--field', 'name=blue']);
  expect(ran).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the service does not support this operation (501): Cluster creation comes later\n',
  });
});

async function runAgainst(words: readonly string[], stdin?: string, options?: DocumentedOptions) {
  const service = await startDocumented(options);
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'secret-token' };
  const ran = await run(words, { env, ...(stdin !== undefined && { stdin }) });
  return { ran, seen: service.seen };
}
