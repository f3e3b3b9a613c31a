import { fingerprintOf } from '../auth/token.ts';
import {
  environmentOrigin,
  type FoundToken,
  findToken,
  noTokenError,
  notSignedInError,
  type RunForOutput,
  tokenCommandOf,
} from '../auth/token-source.ts';
import type { Session } from '../cli/app.ts';
import type { Options } from '../cli/arguments/options.ts';
import { findAgentVariable, type Host } from '../cli/host.ts';
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
import { readStackTitle } from '../resources/stack.ts';
import {
  baseUrlOf,
  resolveSettings,
  type SettingSources,
  type Settings,
  serviceAddressOf,
  withAddressHint,
} from '../settings/settings.ts';
import { settingNames, settingTable } from '../settings/table.ts';
import { type ListStacks, retryIfStale } from '../targets/stack.ts';
import type { Journal } from '../writes/journal/journal.ts';
import type { ChangeParts } from '../writes/sent-change.ts';
import { createClient, createStackCache, requestOptions } from './client.ts';
import type { ProgramContext } from './profile-program.ts';
import { profileProgramHost } from './programs.ts';

/** A session with more parts, for the other files of this folder and for the `context.host` of custom commands. */
export interface OpenSession
  extends Omit<Session, 'commandHost'>,
    Pick<CommandHost, 'folders' | 'stackTitle' | 'embedded' | 'tokenCommand' | 'secretCommand' | 'limitRequests'> {
  readonly listStacks: ListStacks;
  readonly sandboxFile: () => string;
  readonly withToken: (token: string) => Calls;
  /** Returns a fingerprint of the token that is safe to save. Throws `unauthenticated` without a token. */
  readonly tokenFingerprint: () => Promise<string>;
  readonly warn: (line: string) => void;
  readonly isQuiet: boolean;
}

const sandboxUrl = 'http://sandbox.localhost/api/3';

interface SessionOptions {
  readonly isCompletion?: boolean;
  readonly keepsRights?: boolean;
  /** The only stacks that may be reached. An empty list allows all. */
  readonly allowedStacks?: readonly string[];
}

/** Opens the session of one command line. It connects at the first call. For completion it prints nothing. */
export function openSession(options: Options, host: Host, sessionOptions: SessionOptions = {}): OpenSession {
  const { isCompletion = false, keepsRights = false, allowedStacks = [] } = sessionOptions;
  const folders = once(() => findFolders(host.env, host.platform));
  const warn = (line: string) => {
    if (!isCompletion) void writeStderrLine(host.err, 'warning', line, wantsJsonWarnings(options, host));
  };
  const settings = resolveSettings({ flags: flagsOf(options), env: host.env, folders, warn, keepsRights });
  const isSandbox = once(() => settings.get('sandbox').value === 'true');
  let openedTransport: Promise<ClosableTransport> | undefined;
  const transport = async (): Promise<Transport> => {
    // The sandbox ignores profiles, but `settings.profile` is read there too: it throws for an unknown profile.
    if (isSandbox() && settings.profile) return openSandboxTransport(host, folders(), warn);
    openedTransport ??= openTransport(baseUrlOf(settings), host, { grace: graceFor(host) });
    return openedTransport;
  };
  const { token, tokenCommand } = tokenSource(host, { settings, folders, warn, keepsRights, isSandbox, isCompletion });
  const queue = createRequestQueue(host.elapsed);
  const dependencies = { options, host, settings, allowedStacks, folders, transport, warn, token, queue };
  const cache = createStackCache(() => session, host.now);
  const { call, read, targets, verified, withToken } = createClient(dependencies, cache);
  const session: OpenSession = {
    settings,
    folders,
    listStacks: targets.listStacks,
    stackTitle: (uid) => targets.stackTitle(uid) ?? targets.stackName(uid),
    sandboxFile: () => sandboxFile(folders()),
    embedded: () => (isSandbox() ? { baseUrl: new URL(sandboxUrl), token: tokenOfSandbox(host) } : undefined),
    tokenCommand,
    warn,
    isQuiet: options.quiet ?? false,
    ...verified,
    ...profilePrograms(dependencies),
    rateLimit: queue.rateLimit,
    changeRunner: once(async () => {
      const { createChangeRunner } = await import('../writes/writes.ts');
      const journal = once(() => journalOf(dependencies, isSandbox()));
      const origin = () => changeOriginOf(settings, isSandbox());
      return createChangeRunner({ call, read, stackName: targets.stackName, journal, origin });
    }),
    withToken,
    tokenFingerprint: async () => fingerprintOf((await token()).token),
    readStackTitle: (uid) => readStackTitle({ call }, uid),
    toRequest: (operation, input) => prepareRequest(operation, input, requestOptions(host, settings)),
    baseUrl: () => (isSandbox() ? sandboxUrl : serviceAddressOf(settings)),
    resolveTarget: targets.resolveTarget,
    resolveUnverifiedTarget: targets.resolveWhileVerifying,
    matchStacks: targets.matchStacks,
    retryIfStale,
    explainError: (error) => (isSandbox() ? targets.explain(error) : withAddressHint(targets.explain(error), settings)),
    verifyDefaultStack: targets.verifyDefaultStack,
    destination: () => ({
      flags: serviceFlags(options, settings),
      account: options.account,
      stackName: targets.stackName,
      platform: host.platform,
      forAgent: findAgentVariable(host.env) !== undefined,
    }),
    sandboxNotice: () => (isSandbox() ? 'sandbox: nothing here is real' : undefined),
    sandboxCopyNotice: async () => {
      const { storedCopyNotice } = await import('../sandbox/stored-state.ts');
      return storedCopyNotice(sandboxFile(folders()), host.now());
    },
    limitRequests: queue.limit,
    close: async () => (await openedTransport?.catch(() => undefined))?.close(),
  };
  return session;
}

function profilePrograms(context: ProgramContext): Pick<OpenSession, 'secretCommand' | 'approve' | 'notify'> {
  const load = async () => import('./profile-program.ts');
  return {
    secretCommand: () => {
      if (context.settings.get('secret_command').value === undefined) return undefined;
      return async (reference) => (await load()).readSecret(context, reference);
    },
    approve: async (changes) => (await load()).runApproveCommand(context, changes),
    notify: async (record, exitCode) => (await load()).runNotifyProgram(context, record, exitCode),
  };
}

function serviceFlags({ sandbox, profile, base_url }: Options, settings: Settings): readonly string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    // A profile that does not exist is left out of printed commands.
    ...(profile === undefined || attempt(() => settings.profile) instanceof CliError ? [] : flagWords('-p', profile)),
    ...(base_url === undefined ? [] : flagWords('--base-url', base_url)),
  ];
}

function changeOriginOf(settings: Settings, isSandbox: boolean): ReturnType<ChangeParts['origin']> {
  const { value: account } = settings.get('account');
  const accountPart = account === undefined ? {} : { account };
  if (isSandbox) return { profile: 'sandbox', ...accountPart };
  return { profile: settings.profile, address: serviceAddressOf(settings), ...accountPart };
}

function wantsJsonWarnings({ json, jq, output }: Options, { err }: Host): boolean {
  // Only the flags decide, not the settings: the warning may be about unreadable settings.
  return !err.terminal && (json || jq !== undefined || output === 'json' || output === 'ndjson');
}

type JournalDependencies = Pick<OpenSession, 'settings' | 'folders' | 'warn'> & { readonly host: Host };

async function journalOf({ host, settings, folders, warn }: JournalDependencies, isSandbox: boolean): Promise<Journal> {
  const { journalPath, nullJournal, openJournal } = await import('../writes/journal/journal.ts');
  const { openHashKeys } = await import('../writes/journal/hash-keys.ts');
  const setting = settings.get('journal').value;
  if (setting === 'off') return nullJournal;
  const { now } = host;
  const file = () => journalPath(folders(), isSandbox);
  const keys = openHashKeys({ folders, now, warn });
  return openJournal({ file, keys, warn, isJournalRequired: setting === 'required', now });
}

export async function openTransport(
  baseUrl: URL,
  { env, version, platform, v8Version }: Host,
  overrides: Partial<TransportOptions> = {},
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
    ...overrides,
  });
}

async function openSandboxTransport(host: Host, folders: Folders, warn: (line: string) => void): Promise<Transport> {
  const { createLocalTransport } = await import('../sandbox/local.ts');
  const { openHashKeys } = await import('../writes/journal/hash-keys.ts');
  // The journal is in the folder of the sandbox. If others could write there, the keys of the journal are deleted.
  const { deleteKeys: onExposed } = openHashKeys({ folders: () => folders, now: host.now, warn });
  return createLocalTransport({ ...host.sandbox, file: sandboxFile(folders), now: host.now, warn, onExposed });
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
  const cutController = new AbortController();
  let isGraceAnnounced = false;
  return {
    cutSignal: cutController.signal,
    // After a signal the response is awaited this long, because it tells whether the change was applied.
    waitMsAfter: (reason) => graceMsBySignal[String(reason)] ?? 0,
    onWaitBegin: (ms) => {
      onSecondInterrupt(() => cutController.abort());
      if (!err.terminal || isGraceAnnounced) return;
      isGraceAnnounced = true;
      void err.lines([`interrupted; waiting up to ${ms / 1000} s for the response to the change`]);
    },
  };
}

/** Returns STACKOPS_TOKEN if it names a scope (`sandbox_public`), else `sandbox_all`, so a real token is ignored. */
function tokenOfSandbox({ env }: Host): FoundToken {
  const token = env['STACKOPS_TOKEN'];
  if (token && /^sandbox_[a-z]+$/.test(token)) return { token, origin: environmentOrigin };
  return { token: 'sandbox_all', origin: { kind: 'sandbox' } };
}

interface TokenDependencies extends Required<Pick<SettingSources, 'folders' | 'warn' | 'keepsRights'>> {
  readonly settings: Settings;
  readonly isSandbox: () => boolean;
  /** True during completion, which never runs a token command. */
  readonly isCompletion: boolean;
}

function tokenSource(host: Host, { settings, isSandbox, isCompletion, ...files }: TokenDependencies) {
  const runCommand = isCompletion ? refuseToRun : tokenCommandRunner(host, files.folders);
  const tokenCommand = once(() => tokenCommandOf(settings, runCommand, host.redactor.hide));
  const findSessionToken = async (refused?: string): Promise<FoundToken> => {
    if (isSandbox()) return tokenOfSandbox(host);
    const { profile } = settings;
    const baseUrl = baseUrlOf(settings);
    const token = await findToken({ ...files, env: host.env, profile, command: tokenCommand, baseUrl, refused });
    if (!token) throw notSignedInError(profile);
    return token;
  };
  let currentToken: Promise<FoundToken> | undefined;
  const getToken = async (refusedToken?: string): Promise<FoundToken> => {
    currentToken ??= findSessionToken();
    if ((await currentToken).token === refusedToken) currentToken = findSessionToken(refusedToken);
    return currentToken;
  };
  return { token: getToken, tokenCommand };
}

/** The variable that is set for every token command. It prevents endless recursion if the command runs stackops. */
const recursionVariable = 'STACKOPS_IN_TOKEN_COMMAND';

export const tokenCommandRules = {
  limitMs: 3000,
  mostBytes: 8192,
  lateText: 'printed no token',
  createError: noTokenError,
};

function tokenCommandRunner(host: Host, folders: () => Folders): RunForOutput {
  return async (commandLine, name) => {
    if (host.env[recursionVariable]) throw noTokenError(`${name} runs stackops, which would run it again`);
    const { runForOutput } = await import('../programs/capture.ts');
    const programHost = profileProgramHost(host, folders().config, { [recursionVariable]: '1' });
    return runForOutput(programHost, tokenCommandRules, commandLine, name);
  };
}

const refuseToRun: RunForOutput = async (_commandLine, name) => {
  throw noTokenError(`${name} is not run here`);
};
