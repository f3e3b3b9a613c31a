import type { Context } from '../../../src/contract/command.ts';
import type { CommandHost } from '../../../src/contract/host.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { findFolders } from '../../../src/files/folders.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { get } from './raw-request.ts';

type Words = Readonly<Record<string, string>>;
export interface RunOptions {
  readonly folder: string;
  readonly flags?: Words;
  readonly env?: Words;
  readonly stdin?: string;
  readonly dryRun?: boolean;
  readonly browse?: (url: URL) => Promise<boolean>;
  readonly ask?: NonNullable<Context['ask']>;
  readonly signal?: AbortSignal;
  /** Answers the reads of a command. */
  readonly call?: (operation: Operation) => Promise<unknown>;
}
export interface CommandRun {
  readonly context: Context;
  /** Everything that was said on stderr. */
  readonly said: string[];
}

/** The parts of the program that the commands around sign-in touch, over real files and real sockets. */
export function setUp(options: RunOptions): CommandRun {
  const said: string[] = [];
  const env = { STACKOPS_CONFIG_DIR: options.folder, ...options.env };
  const folders = () => findFolders(env, 'linux');
  const settings = () => resolveSettings({ flags: options.flags ?? {}, env, folders });
  const host = {
    env,
    platform: 'linux',
    folders,
    stackName: (uid: string) => uid,
    stackTitle: (uid: string) => uid,
    get settings() {
      return settings();
    },
    embedded: () => undefined,
    tokenCommand: () => undefined,
    verify: (token: string) => readAccounts(settings().get('base_url').value ?? '', token),
    ownerOf: async () => null,
    post: async (url: URL, form: URLSearchParams) => {
      const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
      return { status: answer.status, text: await answer.text() };
    },
    openBrowser: options.browse ?? (async () => false),
    hasBrowser: async () => true,
    hide: () => undefined,
    redact: (text: string) => text,
    say: (line: string) => said.push(line),
    sayAddress: (url: URL) => said.push(url.href),
    signal: options.signal ?? new AbortController().signal,
  } as unknown as CommandHost;
  return { context: contextOf(options, host, said), said };
}

function contextOf({ stdin = '', dryRun = false, call, ask }: RunOptions, host: CommandHost, said: string[]): Context {
  return {
    host,
    ask,
    isProtected: false,
    approve: async () => undefined,
    isMcpCall: false,
    during: (_label, work) => work(),
    redraws: false,
    printEvent: async () => undefined,
    printsData: false,
    relay: () => Promise.reject(new Error('no program is expected')),
    recordProgram: () => Promise.reject(new Error('no program is expected')),
    call: (async (operation) => {
      if (!call) throw new Error('no operation is expected');
      return call(operation);
    }) as Context['call'],
    eachPage: () => Promise.reject(new Error('no list is expected')),
    matching: async (rows) => rows,
    note: (line) => said.push(line),
    warn: (line) => said.push(`warning: ${line}`),
    confirm: async () => undefined,
    resolveTarget: () => Promise.reject(new Error('no place is expected')),
    audience: { terminal: false, reveal: false },
    deadline: () => new AbortController().signal,
    command: '',
    readText: async () => stdin,
    now: () => new Date('2026-05-04T12:00:00Z'),
    elapsed: () => 0,
    rateLimit: () => undefined,
    wait: false,
    runReference: () => 'stackops-00000000-0000-4000-8000-000000000001',
    quote: (text) => text,
    limit: undefined,
    reveal: false,
    keepGoing: false,
    follow: () => Promise.reject(new Error('nothing is watched')),
    dryRun,
    forApproval: false,
  };
}

async function readAccounts(baseUrl: string, token: string): Promise<void> {
  const { status } = await fetch(`${baseUrl}/accounts`, { headers: { authorization: `Bearer ${token}` } });
  if (status === 401) throw new CliError('unauthenticated', 'the token was refused', { status });
  if (status === 403) throw new CliError('forbidden', 'the scope is missing', { status });
  if (status !== 200) throw new CliError('unavailable', `answered ${status}`, { status });
}

/** A browser whose person answers `query`, with the state that was sent unless the query holds one. */
export function browserThat(query: Words, answers: Promise<string>[] = []): (url: URL) => Promise<boolean> {
  return async (url) => {
    await fetch(url);
    const redirect = new URL(url.searchParams.get('redirect_uri') ?? '');
    const params = new URLSearchParams({ state: url.searchParams.get('state') ?? '', ...query });
    answers.push(get(redirect, `${redirect.pathname}?${params}`));
    return true;
  };
}
