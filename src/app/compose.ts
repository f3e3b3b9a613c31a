import type { App } from '../cli/app.ts';
import { firstWord, wordsBeforeDashes } from '../cli/arguments/options.ts';
import { withoutAlias } from '../cli/arguments/read-line.ts';
import { findAgentVariable, findUnattendedVariable, type Host, mergeLazily, type RawHost } from '../cli/host.ts';
import { runStackops } from '../cli/stackops.ts';
import { topLevel } from '../commands/index.ts';
import type { CommandHost } from '../contract/host.ts';
import { CliError } from '../errors/cli-error.ts';
import { createOutput } from '../output/safe/create-output.ts';
import { foregroundHostFor } from './programs.ts';
import type { OpenSession } from './session.ts';

/** Runs one command line and returns its exit code. Parts of the program that help does not need are loaded late. */
export async function composeAndRun(rawHost: RawHost): Promise<number> {
  const receivedCall =
    rawHost.argv[0] === '__call' ? await (await import('../mcp/admit.ts')).readServedCall(rawHost) : undefined;
  const hostOfRun: RawHost = receivedCall ? mergeLazily(rawHost, receivedCall.host) : rawHost;
  const host: Host = mergeLazily(hostOfRun, createOutput(hostOfRun));
  // A call of `stackops mcp` must not run `__complete`, because completion would send the token to any typed address.
  if (!receivedCall && host.argv[0] === '__complete') return (await import('./completion.ts')).complete(host, topLevel);
  let programExitCode = 0;
  const setExitCode = (code: number) => {
    programExitCode = code;
  };
  const app: App = mergeLazily<Host, Omit<App, keyof Host> & Pick<App, 'ask'>>(host, {
    topLevel,
    session: async (options) => {
      const allowedStacks = receivedCall?.spec.stacks ?? [];
      const session =
        firstWord(host.argv) === 'doctor'
          ? (await import('./doctor.ts')).openDoctorSession(options, host)
          : (await import('./session.ts')).openSession(options, host, { allowedStacks });
      const serveMcp = async (allowsWrites: boolean) => {
        const { serve } = await import('../mcp/server.ts');
        const { readStackNames } = await import('../cli/stacks/stack-names.ts');
        const stacks = options.stack === undefined ? [] : await readStackNames(options, app.readText);
        const mcpHost = mergeLazily(host, { visible: host.err.visible, print: host.out.data });
        const isSandbox = session.embedded() !== undefined;
        return serve(mcpHost, { allowsWrites, isSandbox, stacks, typed: options });
      };
      return { ...session, commandHost: commandHostFor(host, session, { setExitCode, serve: serveMcp }) };
    },
    call: receivedCall?.spec,
    admit: async (invocation, call) => (await import('../mcp/admit.ts')).admitInvocation(invocation, call),
    get ask() {
      return canAsk(host) ? host.ask : undefined;
    },
    readText: async (path, mostBytes) => {
      if (receivedCall) return receivedCall.host.readStdin();
      if (path === '-' && firstWord(host.argv) === 'mcp')
        throw new CliError('usage', '"mcp" needs stdin for its client');
      return (await import('./read-text.ts')).readText(path, host, mostBytes);
    },
  });
  const exitCode = await runStackops(host.argv, app);
  return exitCode || programExitCode;
}

function canAsk({ argv, env, err, stdinTerminal }: Host): boolean {
  // In a pipe or job no one answers, so a question would wait forever.
  const isUnattended = wordsBeforeDashes(argv).includes('--no-input') || findUnattendedVariable(env) !== undefined;
  return stdinTerminal && err.terminal && !isUnattended;
}

interface HostCallbacks extends Pick<CommandHost, 'serve'> {
  readonly setExitCode: (code: number) => void;
}

function commandHostFor(host: Host, session: OpenSession, { setExitCode, serve }: HostCallbacks): CommandHost {
  const { redactor, err, out } = host;
  return mergeLazily<Host, Omit<CommandHost, keyof Host>>(host, {
    ...session,
    programs: foregroundHostFor(host, setExitCode),
    agent: findAgentVariable(host.env),
    stackName: (uid) => session.destination().stackName(uid),
    readPrinted: async (commandLine) => {
      const { readPrintedCommand } = await import('../cli/arguments/read-printed.ts');
      return readPrintedCommand(commandLine, topLevel, session.resolveTarget);
    },
    verify: async (token) => {
      const { accounts } = await import('../resources/account.ts');
      await session.withToken(token).call(accounts.list, {}, { limit: 1 });
    },
    ownerOf: async (token) => (await import('../commands/auth/status.ts')).whoAmI(session.withToken(token).call),
    post: async (url, form) => (await import('./login.ts')).createFormPoster(host)(url, form),
    openBrowser: async (url) => (await import('./login.ts')).openBrowser(url),
    hasBrowser: async () => (await import('./login.ts')).hasBrowser(host),
    hide: redactor.hide,
    redact: redactor.redact,
    say: (line) => void err.lines([line]),
    sayAddress: (url) => void err.address(url),
    print: out.data,
    description: async () => (await import('../cli/help/describe-tree.ts')).createDescriber(topLevel),
    withoutAlias: (words) => withoutAlias(words, topLevel),
    firstWord,
    proxyFor: async (url) => (await import('../http/transport/connection.ts')).chooseProxy(url, host.env)?.host,
    probeService: async (...request) => (await import('./doctor.ts')).probeService(host, ...request),
    probeUrl: async (url, limits) => {
      const { probe } = await import('../http/transport/probe.ts');
      const { env, version, platform } = host;
      const userAgent = `stackops/${version} (${platform})`;
      return probe(url, { ...limits, userAgent, connectTimeoutMs: limits.timeoutMs, env });
    },
    downloadFile: async (...request) => (await import('./storage.ts')).createStorageDownload(host, session)(...request),
    serve,
    createMeter: async () => (await import('./storage.ts')).createMeter(host, session),
  });
}
