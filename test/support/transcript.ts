import { readFileSync, writeFileSync } from 'node:fs';
import { expect, type TestContext } from 'vitest';
import type { SandboxBehaviour } from '../../src/sandbox/answer.ts';
import { mark } from './phrases.ts';
import { startSandbox, type TestSandboxOptions } from './sandbox.ts';
import { isReply, type Service, startReplies } from './service.ts';
import { type Ran, run, temporaryFolder } from './stackops.ts';

/**
 * Plays a session against one sandbox and holds it against what the operator saw, to the letter:
 *
 *     % PUT /stacks/*=400                  first: the sandbox serves with this fault; `%` alone: it serves
 *     % GET /users/7 {"response":{}}       first: in place of the sandbox a service with these replies
 *     $ stackops stack get shpo            a command in a pipe; NAME=value in front sets a variable
 *     80$ stackops stack list              the same on a terminal of 80 columns
 *     < yes                                a line typed at its prompt, or a line of its stdin
 *     > 2 reads                            of the service, where it serves
 *     > PUT /tags/server/1 {"tags":[]}     a write of the service, where it serves; several are sorted
 *     ! error: stack "shpo" not found      a line on stderr
 *     shop⇥production                      a line on stdout; ⇥ is a tab, ␍ a carriage return
 *     = 3                                  the exit code, when it is not 0
 *     +5s                                  time goes by
 *
 * FOLDER is a temporary folder, SERVICE the address of the service, HOST its host, and STACK the stack of a service with
 * replies. The mark of the sandbox is left out, colour is off,
 * and stderr stands before stdout. `STACKOPS_UPDATE=1` writes the session as it went into the test.
 */
export async function transcript(text: string, options: SessionOptions = {}): Promise<void> {
  const expected = dedent(text);
  const played = await play(expected, options);
  if (played === expected || !(process.env['STACKOPS_UPDATE'] && replaceInTest(text, played))) {
    expect(played).toBe(expected);
  }
}

/** Plays the session in `env/one-value-is-printed-bare.txt`: `test('one value is printed bare', transcriptFile)` in `env.test.ts`. */
export async function transcriptFile({ task }: TestContext, options: SessionOptions = {}): Promise<void> {
  const path = `${task.file.filepath.replace(/\.test\.ts$/, '')}/${fileNameOf(task.name)}`;
  const expected = readFileSync(path, 'utf8');
  const played = `${await play(expected, options)}\n`;
  if (process.env['STACKOPS_UPDATE']) writeFileSync(path, played);
  else expect(played).toBe(expected);
}

export interface SessionOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How the sandbox behaves: `{ replies: 'actions', failActions: true }`. */
  readonly sandbox?: TestSandboxOptions;
  /** In place of the sandbox. */
  readonly service?: Service | Promise<Service>;
  /** Stands as FOLDER in the text; default: an empty one. */
  readonly folder?: string;
}

export function fileNameOf(test: string): string {
  return `${test
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-')}.txt`;
}

/** Writes `played` in place of the literal `text`, with its indentation. False where the test does not hold that literal. */
function replaceInTest(text: string, played: string): boolean {
  const { testPath = '' } = expect.getState();
  const source = readFileSync(testPath, 'utf8');
  const margin = /^\n( *)/.exec(text)?.[1] ?? '';
  const end = /\s*$/.exec(text)?.[0] ?? '';
  const updated = `\n${played.replaceAll(/^(?=.)/gm, margin)}${end}`;
  const literal = [raw, escaped].find((write) => source.split(write(text)).length === 2);
  if (literal)
    writeFileSync(
      testPath,
      source.replace(literal(text), () => literal(updated)),
    );
  return literal !== undefined;
}

function raw(text: string): string {
  return `String.raw\`${text}\``;
}

function escaped(text: string): string {
  return `\`${text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')}\``;
}

/** Where the operator's Enter ends the line of a question. */
const prompt = /(\[y\/N\]|to confirm:) /g;
const stack = '5f3c0000000000000000000000000001';
const beginning = Date.parse('2026-05-04T12:00:00Z');

interface Step {
  readonly line: string;
  readonly input: readonly string[];
}

/** The session as it really went. */
async function play(text: string, options: SessionOptions): Promise<string> {
  const { folder = temporaryFolder() } = options;
  const faults = text.match(/^%.*$/gm) ?? [];
  const seen: string[] = [...faults];
  let nowMs = beginning;
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  const now = () => new Date(nowMs);
  const served = await serve(faults, { ...options, sandbox: { now, ...options.sandbox } });
  const folders = { STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder() };
  const env: Readonly<Record<string, string>> = { NO_COLOR: '1', ...folders, ...served.env, ...options.env };
  const { STACKOPS_BASE_URL: address = '' } = env;
  const names: Names = [
    ['FOLDER', folder],
    ['STACK', stack],
    ...(address
      ? ([
          ['SERVICE', address],
          ['HOST', new URL(address).host],
        ] as const)
      : []),
  ];
  for (const { line, input } of readSteps(text)) {
    seen.push(line, ...input.map((typed) => `< ${typed}`.trimEnd()));
    const [, seconds] = /^\+(\d+)s$/.exec(line) ?? [];
    nowMs += Number(seconds ?? 0) * 1000;
    if (seconds !== undefined) continue;
    const before = served.requests().length;
    const ran = await type(filled(line, names), { input, env, now: now(), slept, sandbox: options.sandbox ?? {} });
    seen.push(...[...requestLines(served.requests().slice(before)), ...shown(ran)].map((one) => named(one, names)));
  }
  return seen.join('\n');
}

type Names = readonly (readonly [name: string, value: string])[];

function filled(line: string, names: Names): string {
  return names.reduce((text, [name, value]) => text.replaceAll(RegExp(`\\b${name}\\b`, 'g'), value), line);
}

/** A line without what differs from one play to the next. */
function named(line: string, names: Names): string {
  const lasting = line.replace(/(?<=request(?:_id":"| ))[\da-f-]{36}/, 'ID');
  return names.reduce((text, [name, value]) => text.replaceAll(value, name), lasting);
}

interface Request {
  readonly method: string;
  readonly path: string;
  /** JSON or its text. */
  readonly body?: unknown;
}

interface Served {
  readonly env: Readonly<Record<string, string>>;
  readonly requests: () => readonly Request[];
}

async function serve(faults: readonly string[], options: SessionOptions): Promise<Served> {
  const service = await options.service;
  if (service) return { env: service.env, requests: () => service.seen };
  if (faults.length === 0) return { env: { STACKOPS_SANDBOX: '1' }, requests: () => [] };
  const rules = faults.map((line) => filled(line.slice(2), [['STACK', stack]])).filter(Boolean);
  if (rules.some(isReply)) {
    const { env, seen } = await startReplies(rules);
    return { env: { ...env, STACKOPS_STACK: stack }, requests: () => seen };
  }
  const { env, requests } = await startSandbox({ ...options.sandbox, faults: rules });
  return { env, requests: () => requests };
}

function requestLines(requests: readonly Request[]): readonly string[] {
  const writes = requests.filter(({ method }) => method !== 'GET');
  const reads = requests.length - writes.length;
  const lines = writes.map(({ method, path, body = '' }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `> ${method} ${path} ${text}`.trimEnd();
  });
  return [...(reads > 0 ? [`> ${reads} ${reads === 1 ? 'read' : 'reads'}`] : []), ...lines.sort()];
}

function dedent(text: string): string {
  const lines = text.replace(/^\n/, '').trimEnd().split('\n');
  const depth = /^ */.exec(lines[0] ?? '')?.[0].length ?? 0;
  return lines.map((line) => line.slice(depth)).join('\n');
}

function readSteps(text: string): readonly Step[] {
  const steps: { line: string; input: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (/^(\d*\$ |\+\d+s$)/.test(line)) steps.push({ line, input: [] });
    else if (/^<( |$)/.test(line)) steps.at(-1)?.input.push(line.slice(2));
  }
  return steps;
}

interface Typing {
  readonly input: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly now: Date;
  readonly slept: (ms: number) => void;
  readonly sandbox: SandboxBehaviour;
}

async function type(line: string, { input, env, now, slept, sandbox }: Typing): Promise<Ran> {
  const [, columns = '', command = ''] = /^(\d*)\$ (.*)$/s.exec(line) ?? [];
  const words = shellWords(command);
  const start = words.indexOf('stackops');
  const variables = words.slice(0, start).map((word) => word.split('=') as [string, string]);
  return run(words.slice(start + 1), {
    env: { ...env, ...Object.fromEntries(variables) },
    typed: input,
    stdin: input.map((typed) => `${typed}\n`).join(''),
    now: () => now,
    slept,
    sandbox,
    ...(columns && { terminal: Number(columns) }),
  });
}

/** Words as a shell splits them, with single quotes only; `\n` stands for a line feed. */
function shellWords(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? [];
  return words.map((word) =>
    word
      .replaceAll(/'([^']*)'|\\'/g, (quoted, inside?: string) => (quoted === "\\'" ? "'" : (inside ?? '')))
      .replaceAll('\\n', '\n'),
  );
}

function shown({ code, stdout, stderr }: Ran): readonly string[] {
  return [
    ...linesOf(stderr.replace(mark, '').replace(prompt, '$1\n')).map((line) => `! ${line}`),
    ...linesOf(stdout).map((line) => line.replaceAll('\t', '⇥').replaceAll('\r', '␍')),
    ...(code === 0 ? [] : [`= ${code}`]),
  ];
}

/** A text that does not end its last line shows it. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : `${text}⏎`).split('\n');
}
