import { fingerprintOf } from '../auth/token.ts';
import {
  type FoundToken,
  findToken,
  fromEnvironment,
  noTokenError,
  notSignedInError,
  type RunForOutput,
  tokenCommandOf,
} from '../auth/token-source.ts';
import type { Session } from '../cli/app.ts';
import type { Options } from '../cli/arguments/options.ts';
import { agentIn, type Host } from '../cli/host.ts';
import { flagWords } from '../contract/command-line.ts';
import type { Transport } from '../contract/exchange.ts';
import type { CommandHost } from '../contract/host.ts';
import type { Calls } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { attempt, CliError } from '../errors/cli-error.ts';
import { type Folders, findFolders, sandboxFile } from '../files/folders.ts';
import { prepareRequest } from '../http/api.ts';
import { createRequestQueue } from '../http/rate-limit.ts';
import type { ClosableTransport, TransportOptions } from '../http/transport/transport.ts';
import { writeStderrLine } from '../output/progress.ts';
import { describeStack } from '../resources/stack.ts';
import {
  addressOf,
  baseUrlOf,
  resolveSettings,
  type Settings,
  type Sources,
  withAddressHint,
} from '../settings/settings.ts';
import { settingNames, settingTable } from '../settings/table.ts';
import { type ListStacks, retryIfStale } from '../targets/stack.ts';
import type { Journal } from '../writes/journal/journal.ts';
import type { ChangeParts } from '../writes/sent-change.ts';
import { clientOf, requestParts } from './client.ts';
import { stackCache } from './names.ts';
import { profileProgramHost } from './programs.ts';

/** A session with more parts, for the other files of this folder and for the `context.host` of custom commands. */
export interface OpenSession
  extends Omit<Session, 'commandHost'>,
    Pick<CommandHost, 'folders' | 'stackTitle' | 'embedded' | 'tokenCommand' | 'secretCommand' | 'limitRequests'> {
  readonly listStacks: ListStacks;
  readonly sandboxFile: () => string;
  readonly withToken: (token: string) => Calls;
  /** Returns a fingerprint of the token that is safe to save. Throws `unauthenticated` without a token. */
  readonly tokenMark: () => Promise<string>;
  readonly warn: (line: string) => void;
  readonly isQuiet: boolean;
}

const sandboxUrl = 'http://sandbox.localhost/api/3';

interface SessionOptions {
  readonly isTab?: boolean;
  readonly keepsRights?: boolean;
  /** The only stacks that may be reached. An empty list allows all. */
  readonly stacks?: readonly string[];
}

/** Opens the session of one command line. It connects at the first call. For completion (`isTab`) it prints nothing. */
export function openSession(
  options: Options,
  host: Host,
  { isTab = false, keepsRights = false, stacks = [] }: SessionOptions = {},
): OpenSession {
  const folders = once(() => findFolders(host.env, host.platform));
  const warn = (line: string) => {
    if (!isTab) void writeStderrLine(host.err, 'warning', line, readsJson(options, host));
  };
  const settings = resolveSettings({ flags: flagsOf(options), env: host.env, folders, warn, keepsRights });
  const isSandbox = once(() => settings.get('sandbox').value === 'true');
  let openedTransport: Promise<ClosableTransport> | undefined;
  const transport = async (): Promise<Transport> => {
    // The sandbox ignores profiles, but `settings.profile` is read there too: it throws for an unknown profile.
    if (isSandbox() && settings.profile) return openSandbox(host, folders(), warn);
    openedTransport ??= openTransport(baseUrlOf(settings), host, { grace: graceFor(host) });
    return openedTransport;
  };
  const { token, tokenCommand } = sessionTokens(host, { settings, folders, warn, keepsRights, isSandbox, isTab });
  const queue = createRequestQueue(host.elapsed);
  const parts = { options, host, settings, stacks, folders, transport, warn, token, queue };
  const cache = stackCache(() => session, host.now);
  const { call, read, targets, verified, withToken } = clientOf(parts, cache);
  const session: OpenSession = {
    settings,
    folders,
    listStacks: targets.listStacks,
    stackTitle: (uid) => targets.stackTitle(uid) ?? targets.stackName(uid),
    sandboxFile: () => sandboxFile(folders()),
    embedded: () => (isSandbox() ? { baseUrl: new URL(sandboxUrl), token: tokenOfSandbox(host) } : undefined),
    tokenCommand,
    secretCommand: () => {
      if (settings.get('secret_command').value === undefined) return undefined;
      return async (reference) => (await import('./profile-program.ts')).readSecret(parts, reference);
    },
    warn,
    isQuiet: options.quiet ?? false,
    ...verified,
    approve: async (planned) => (await import('./profile-program.ts')).approve(parts, planned),
    notify: async (record, exitCode) => (await import('./profile-program.ts')).notify(parts, record, exitCode),
    rateLimit: parts.queue.rateLimit,
    changes: once(async () => {
      const { createChanges } = await import('../writes/writes.ts');
      const journal = once(() => journalOf(parts, isSandbox()));
      const origin = () => originOf(settings, isSandbox());
      return createChanges({ call, read, stackName: targets.stackName, journal, origin });
    }),
    withToken,
    tokenMark: async () => fingerprintOf((await token()).token),
    describeStack: (uid) => describeStack({ call }, uid),
    toRequest: (operation, input) => prepareRequest(operation, input, requestParts(host, settings)),
    baseUrl: () => (isSandbox() ? sandboxUrl : addressOf(settings)),
    resolveTarget: targets.resolve,
    targetWhileVerifying: targets.resolveWhileVerifying,
    matchStacks: targets.match,
    retryIfStale,
    explain: (seen) => (isSandbox() ? targets.explain(seen) : withAddressHint(targets.explain(seen), settings)),
    verifyDefaultStack: targets.verifyDefaultStack,
    destination: () => ({
      flags: serviceFlags(options, settings),
      account: options.account,
      stackName: targets.stackName,
      platform: host.platform,
      forAgent: agentIn(host.env) !== undefined,
    }),
    sandboxNotice: () => (isSandbox() ? 'sandbox: nothing here is real' : undefined),
    copyNotice: async () => (await importStoredState()).storedNotice(sandboxFile(folders()), host.now()),
    limitRequests: parts.queue.limit,
    close: async () => (await openedTransport?.catch(() => undefined))?.close(),
  };
  return session;
}

function serviceFlags({ sandbox, profile, base_url }: Options, settings: Settings): readonly string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    // A profile that does not exist is left out of printed commands.
    ...(profile === undefined || attempt(() => settings.profile) instanceof CliError ? [] : flagWords('-p', profile)),
    ...(base_url === undefined ? [] : flagWords('--base-url', base_url)),
  ];
}

function originOf(settings: Settings, isSandbox: boolean): ReturnType<ChangeParts['origin']> {
  const { value: account } = settings.get('account');
  const accountPart = account === undefined ? {} : { account };
  if (isSandbox) return { profile: 'sandbox', ...accountPart };
  return { profile: settings.profile, address: addressOf(settings), ...accountPart };
}

function readsJson({ json, jq, output }: Options, { err }: Host): boolean {
  // Only the flags decide, not the settings: the warning may be about unreadable settings.
  return !err.terminal && (json || jq !== undefined || output === 'json' || output === 'ndjson');
}

type JournalParts = Pick<OpenSession, 'settings' | 'folders' | 'warn'> & { readonly host: Host };

async function journalOf({ host, settings, folders, warn }: JournalParts, isSandbox: boolean): Promise<Journal> {
  const { journalFile, nullJournal, openJournal } = await import('../writes/journal/journal.ts');
  const { openHashKeys } = await import('../writes/journal/hash-keys.ts');
  const setting = settings.get('journal').value;
  if (setting === 'off') return nullJournal;
  const file = () => journalFile(folders(), isSandbox);
  const keys = openHashKeys({ folders, now: host.now, warn });
  return openJournal({ file, keys, warn, isRequired: setting === 'required', now: host.now });
}

export async function openTransport(
  baseUrl: URL,
  { env, version, platform, v8Version }: Host,
  more: Partial<TransportOptions> = {},
): Promise<ClosableTransport> {
  const { createTransport } = await import('../http/transport/transport.ts');
  return createTransport({
    baseUrl,
    userAgent: `stackops/${version} (${platform})`,
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 30_000,
    attemptTimeoutMs: 60_000,
    env,
    v8Version,
    ...more,
  });
}

const importStoredState = () => import('../sandbox/stored-state.ts');

async function openSandbox(host: Host, folders: Folders, warn: (line: string) => void): Promise<Transport> {
  const { localSandbox } = await import('../sandbox/local.ts');
  const { openHashKeys } = await import('../writes/journal/hash-keys.ts');
  // The journal is in the folder of the sandbox. If others could write there, the keys of the journal are deleted.
  const { deleteKeys: onExposed } = openHashKeys({ folders: () => folders, now: host.now, warn });
  return localSandbox({ ...host.sandbox, file: sandboxFile(folders), now: host.now, warn, onExposed });
}

function flagsOf(options: Options): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settingNames().flatMap((name) => {
      const value = (options as Readonly<Record<string, unknown>>)[name];
      // A setting without a flag is skipped: --notify is a switch, not a value of the setting `notify`.
      return settingTable[name].flag === undefined || value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

const graceMsBySignal: Readonly<Record<string, number>> = { SIGINT: 5_000, SIGTERM: 2_000, SIGHUP: 2_000 };

function graceFor({ err, onSecondInterrupt }: Host): NonNullable<TransportOptions['grace']> {
  const cut = new AbortController();
  let isAnnounced = false;
  return {
    cut: cut.signal,
    // After a signal the response is awaited this long, because it tells whether the change was applied.
    msAfter: (reason) => graceMsBySignal[String(reason)] ?? 0,
    onBegin: (ms) => {
      onSecondInterrupt(() => cut.abort());
      if (!err.terminal || isAnnounced) return;
      isAnnounced = true;
      void err.lines([`interrupted; waiting up to ${ms / 1000} s for the response to the change`]);
    },
  };
}

const sandboxToken = 'sandbox_all';

/** Returns STACKOPS_TOKEN if it names a scope (`sandbox_public`), else `sandbox_all`, so a real token is ignored. */
function tokenOfSandbox({ env }: Host): FoundToken {
  const token = env['STACKOPS_TOKEN'];
  if (token === undefined || !/^sandbox_[a-z]+$/.test(token))
    return { token: sandboxToken, origin: { kind: 'sandbox' } };
  return { token, origin: fromEnvironment };
}

interface TokenParts extends Required<Pick<Sources, 'folders' | 'warn' | 'keepsRights'>> {
  readonly settings: Settings;
  readonly isSandbox: () => boolean;
  /** True during completion, which never runs a token command. */
  readonly isTab: boolean;
}

function sessionTokens(host: Host, { settings, isSandbox, isTab, ...files }: TokenParts) {
  const { folders } = files;
  const run = isTab ? refuseToRun : runnerFor(host, folders);
  const tokenCommand = once(() => tokenCommandOf(settings, run, host.redactor.hide));
  const find = async (refused?: string): Promise<FoundToken> => {
    if (isSandbox()) return tokenOfSandbox(host);
    const { env } = host;
    const { profile } = settings;
    const foundToken = await findToken({
      ...files,
      env,
      profile,
      command: tokenCommand,
      baseUrl: baseUrlOf(settings),
      refused,
    });
    if (!foundToken) throw notSignedInError(profile);
    return foundToken;
  };
  let currentToken: Promise<FoundToken> | undefined;
  const token = async (refused?: string): Promise<FoundToken> => {
    currentToken ??= find();
    if ((await currentToken).token === refused) currentToken = find(refused);
    return currentToken;
  };
  return { token, tokenCommand };
}

/** The variable that is set for every token command. It prevents endless recursion if the command runs stackops. */
const recursionVariable = 'STACKOPS_IN_TOKEN_COMMAND';

export const tokenRules = { limitMs: 3000, mostBytes: 8192, lateText: 'printed no token', createError: noTokenError };

function runnerFor(host: Host, folders: () => Folders): RunForOutput {
  return async (commandLine, name) => {
    if (host.env[recursionVariable]) throw noTokenError(`${name} runs stackops, which would run it again`);
    const { runForOutput } = await import('../programs/capture.ts');
    const programHost = profileProgramHost(host, folders().config, { [recursionVariable]: '1' });
    return runForOutput(programHost, tokenRules, commandLine, name);
  };
}

const refuseToRun: RunForOutput = async (_commandLine, name) => {
  throw noTokenError(`${name} is not run here`);
};
