import { markOf } from '../auth/token.ts';
import { type FoundToken, findToken, notSignedIn } from '../auth/token-source.ts';
import type { ChangeParts } from '../changes/active-write.ts';
import { createChanges } from '../changes/changes.ts';
import type { Journal } from '../changes/journal/journal.ts';
import type { Host } from '../cli/host.ts';
import { serviceOf } from '../cli/suggest/service-flags.ts';
import type { Options } from '../cli/words/options.ts';
import type { Session } from '../cli/world.ts';
import type { Transport } from '../contract/exchange.ts';
import { type Folders, findFolders, sandboxFile } from '../files/folders.ts';
import { type Api, type ApiOptions, createApi, secretRequest } from '../http/api.ts';
import { type RequestTurns, requestTurns } from '../http/request-turns.ts';
import type { ClosableTransport, TransportOptions } from '../http/transport/transport.ts';
import type { Grace } from '../http/transport/transport-exchange.ts';
import { writeStderrLine } from '../output/stderr-line.ts';
import { createPlaces } from '../places/places.ts';
import { nameOf } from '../resources/names.ts';
import { describeStack } from '../resources/stack.ts';
import { aboutAddress, addressOf, baseUrlOf } from '../settings/addresses.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { durationMs } from '../settings/values.ts';
import { graceFor } from './grace.ts';
import { once } from './once.ts';
import { aware } from './token-refusals.ts';
import { traceLine } from './trace.ts';

/** What the hand-written commands need of the same connection. */
export interface OpenSession extends Session {
  readonly folders: () => Folders;
  /** Where the sandbox of `--sandbox` keeps its world. */
  readonly sandboxFile: () => string;
  /** With --sandbox: its address, and the token that stands in for a sign-in. */
  readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
  /** The service, spoken to with another token than the one that would be found. */
  readonly as: (token: string) => Api;
  /** Tells one token from another, and gives none away. Throws unauthenticated without one. */
  readonly tokenMark: () => Promise<string>;
  readonly warn: (line: string) => void;
  readonly isQuiet: boolean;
}

const sandboxUrl = 'http://sandbox.localhost/api/3';
const sandboxToken = 'sandbox_all';
/** Of one check of a running operation; it is repeated anyway. */
const checkTimeoutMs = 30_000;
export const settingOfPlace = { stack: 'stack', 'server-group': 'server_group', account: 'account' } as const;

/** Connects one command line with the service it names; nothing is read or opened before it is needed. */
export function openSession(options: Options, host: Host, { keepsRights = false } = {}): OpenSession {
  const folders = once(() => findFolders(host.env));
  const warn = (line: string) => void writeStderrLine(host.err, 'warning', line, readsJson(options, host));
  const settings = resolveSettings({ flags: flagsOf(options), env: host.env, folders, warn, keepsRights });
  const isSandbox = once(() => settings.get('sandbox').value === 'true');
  let opened: Promise<ClosableTransport> | undefined;
  const transport = async (): Promise<Transport> => {
    // Nothing is kept in profiles for the sandbox, but a mistyped one is a mistake here too.
    if (isSandbox() && settings.profile) return openSandbox(host, sandboxFile(folders()), warn);
    opened ??= openNetwork(baseUrlOf(settings), host, graceFor(host));
    return opened;
  };
  const token = once(() => (isSandbox() ? tokenOfSandbox(host) : tokenOfService(settings, host, folders, warn)));
  const titleOfStack: ApiOptions['titleOfStack'] = (uid) => places.stackTitle(uid);
  const parts = { options, host, settings, folders, transport, warn, titleOfStack, turns: requestTurns() };
  const api = (budgetMs?: number): Api => aware(() => apiFor({ ...parts, token, budgetMs }), token);
  const { call, eachPage } = api();
  const places = createPlaces({ call, setting: (place) => settings.get(settingOfPlace[place]).value });
  return {
    settings,
    folders,
    sandboxFile: () => sandboxFile(folders()),
    embedded: () => (isSandbox() ? { baseUrl: new URL(sandboxUrl), token: token() } : undefined),
    warn,
    isQuiet: options.quiet ?? false,
    call,
    eachPage,
    changes: createChanges({ ...changeParts(parts, isSandbox), host, call, read: api(checkTimeoutMs).call }),
    as: (given) => apiFor({ ...parts, token: () => ({ token: given, origin: 'given' }) }),
    tokenMark: async () => markOf(token().token),
    describeStack: (uid) => describeStack({ call }, uid),
    toRequest: (operation, input) => secretRequest(operation, input, requestParts(host, settings)),
    baseUrl: () => (isSandbox() ? sandboxUrl : addressOf(settings)),
    place: places.resolve,
    explain: (seen) => (isSandbox() ? places.explain(seen) : aboutAddress(places.explain(seen), settings)),
    destination: () => ({ ...serviceOf(options, settings), stackName: places.stackName }),
    sandboxNotice: () => (isSandbox() ? 'sandbox: nothing here is real' : undefined),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

function changeParts(
  parts: Omit<JournalOrigin, 'isSandbox'>,
  isSandbox: () => boolean,
): Pick<ChangeParts, 'journal' | 'origin'> {
  return {
    journal: once(() => journalOf({ ...parts, isSandbox: isSandbox() })),
    origin: () => originOf(parts.settings, isSandbox()),
  };
}

function originOf(settings: Settings, isSandbox: boolean): ReturnType<ChangeParts['origin']> {
  const { value: account } = settings.get('account');
  const chosen = account === undefined ? {} : { account };
  if (isSandbox) return { profile: 'sandbox', ...chosen };
  return { profile: settings.profile, address: addressOf(settings), ...chosen };
}

/** From the flags alone: the warning may be that settings could not be read. */
function readsJson({ json, jq, output }: Options, { err }: Host): boolean {
  return !err.terminal && (json || jq !== undefined || output === 'json' || output === 'ndjson');
}

function requestParts({ redactor }: Host, settings: Settings): Pick<ApiOptions, 'redactor' | 'account'> {
  return { redactor, account: () => settings.get('account').value };
}

interface JournalOrigin {
  readonly host: Host;
  readonly settings: Settings;
  readonly folders: () => Folders;
  readonly warn: (line: string) => void;
  readonly isSandbox: boolean;
}

async function journalOf({ host, settings, folders, warn, isSandbox }: JournalOrigin): Promise<Journal> {
  const { journalFile, nullJournal, openJournal } = await import('../changes/journal/journal.ts');
  const wanted = settings.get('journal').value;
  if (wanted === 'off') return nullJournal;
  const file = () => journalFile(folders(), isSandbox);
  return openJournal({ file, warn, required: wanted === 'required', now: host.now });
}

interface ApiParts {
  readonly options: Options;
  readonly host: Host;
  readonly settings: Settings;
  readonly transport: () => Promise<Transport>;
  readonly token: () => FoundToken;
  readonly warn: (line: string) => void;
  readonly titleOfStack: ApiOptions['titleOfStack'];
  readonly turns: RequestTurns;
  /** Time limit of one call where that of the settings is longer. */
  readonly budgetMs?: number | undefined;
}

function apiFor({ options, host, settings, token, budgetMs, ...parts }: ApiParts): Api {
  const limitMs = durationMs(settings.get('timeout').value ?? '') ?? 120_000;
  return createApi({
    ...parts,
    token: async () => token().token,
    loginScopes: () => token().scopes,
    budgetMs: Math.min(budgetMs ?? limitMs, limitMs),
    retries: Number(settings.get('retries').value),
    signal: host.signal,
    trace: (event) => {
      if (options.verbose) void host.err.lines([traceLine(event)]);
    },
    ...requestParts(host, settings),
    nameOf,
    clock: { now: () => host.now().getTime(), sleep: host.sleep, random: Math.random },
  });
}

/** Opens undici on one origin; the caller closes it. */
export async function openNetwork(baseUrl: URL, host: Host, grace?: Grace): Promise<ClosableTransport> {
  const { undiciTransport } = await import('../http/transport/transport.ts');
  return undiciTransport({ ...networkOptions(baseUrl, host), ...(grace && { grace }) });
}

/** How every connection to a service begins; times in milliseconds. */
export function networkOptions(baseUrl: URL, { env, version, platform, v8Version }: Host): TransportOptions {
  return {
    baseUrl,
    userAgent: `stackops/${version} (${platform})`,
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 30_000,
    attemptTimeoutMs: 60_000,
    env,
    ...(v8Version && { v8Version }),
  };
}

async function openSandbox(host: Host, file: string, warn: (line: string) => void): Promise<Transport> {
  const { localSandbox } = await import('../sandbox/local.ts');
  return localSandbox({ ...host.sandbox, file, now: host.now, warn });
}

/** A real token never enters the sandbox; one of its own, such as `sandbox_public`, rehearses its scopes. */
function tokenOfSandbox({ env }: Host): FoundToken {
  const given = env['STACKOPS_TOKEN'];
  if (!given?.startsWith('sandbox_')) return { token: sandboxToken, origin: 'sandbox' };
  return { token: given, origin: 'environment STACKOPS_TOKEN' };
}

function tokenOfService(
  settings: Settings,
  { env }: Host,
  folders: () => Folders,
  warn: (line: string) => void,
): FoundToken {
  const { profile } = settings;
  const found = findToken({ env, folders, profile, baseUrl: baseUrlOf(settings), warn });
  if (!found) throw notSignedIn(profile);
  return found;
}

/** Options under the names of the settings they set. */
function flagsOf(options: Options): Readonly<Record<string, string | undefined>> {
  return {
    profile: options.profile,
    base_url: options.baseUrl,
    stack: options.stack,
    server_group: options.serverGroup,
    account: options.account,
    output: options.output,
    color: options.color,
    timeout: options.timeout,
    ...(options.sandbox && { sandbox: 'true' }),
  };
}
