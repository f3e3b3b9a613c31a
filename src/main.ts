import { setMaxListeners } from 'node:events';
import { composeAndRun } from './app/compose.ts';
import { isTerminal, isTerminalClosed, outStream, statsOf, terminalScreen, withSafeRawMode } from './app/streams.ts';
import { copyEnvironment, type RawHost } from './cli/host.ts';
import type { WithSignalHandler } from './contract/host.ts';
import { once } from './contract/values/once.ts';
import { CliError, exitCodesOfSignals, interruptedError } from './errors/cli-error.ts';
import { newRequestId } from './http/request-id.ts';
import { secretVariables } from './output/safe/create-output.ts';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];
/** Signals that only `withHandler` catches, for its handler. At other times they have their default effect in Node. */
const programSignals = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Until the end the exit code is 1, which the launcher sets. `process.exit` cuts off piped output, so it is called only
 * after `forceExit`, when all is printed.
 */
export async function main(version: string, styledPage: (page: string) => string): Promise<void> {
  let firstSignal: StopSignal | undefined;
  let onSecondSignal: (() => void) | undefined;
  const getCaughtSignals = once(() =>
    catchSignals((signal) => {
      const [earlier, onSecond] = [firstSignal, onSecondSignal];
      firstSignal ??= signal;
      onSecondSignal = undefined;
      if (onSecond && earlier) onSecond();
      else if (earlier) endBySignal(earlier);
    }),
  );
  let input: Stdin | undefined;
  const openStdin = () => (input ??= withSafeRawMode(process.stdin));
  const releaseSignals = async () => {
    await waitTwoTurns();
    for (const signal of stopSignals) process.removeAllListeners(signal);
    return firstSignal === undefined;
  };
  let isExitForced = false;
  const forceExit = () => {
    isExitForced = true;
  };
  const onSecondInterrupt = (work: () => void) => {
    onSecondSignal = work;
  };
  let hadHandler = false;
  let handledSignal: StopSignal | undefined;
  const withSignalHandler: WithSignalHandler = async (handle, work) => {
    const { withHandler } = getCaughtSignals();
    if (firstSignal) throw interruptedError();
    hadHandler = true;
    return withHandler((signal) => {
      handledSignal = stopSignals.find((stopSignal) => stopSignal === signal) ?? handledSignal;
      handle(signal);
    }, work);
  };
  const hooks = { version, styledPage, onSecondInterrupt, releaseSignals, withSignalHandler, forceExit };
  const exitCode = await composeAndRun(realHost(hooks, openStdin, getCaughtSignals));
  // Node 20 aborts at a normal end if its terminal was closed, so the process ends by a signal instead.
  if (isTerminalClosed()) endBySignal('SIGHUP');
  if (isExitForced) process.exit(exitCode);
  input?.destroy();
  // A terminal sends Ctrl-C to us and to a started program, whose end Node may report first: SIGINT is assumed here.
  if (hadHandler && [0, 1, 2].some(isTerminal)) handledSignal ??= 'SIGINT';
  // A program may survive a signal. Only if it exits with the code of the signal (130 for SIGINT), we end by it too.
  if (handledSignal && exitCodesOfSignals[handledSignal] === exitCode) firstSignal ??= handledSignal;
  if (firstSignal) endBySignal(firstSignal);
  else process.exitCode = exitCode;
}

/** Lets a pending signal arrive: Node reports it between two turns of the event loop, if a handler is installed. */
async function waitTwoTurns(): Promise<void> {
  for (let turnsLeft = 2; turnsLeft > 0; turnsLeft -= 1) await new Promise((resolve) => setImmediate(resolve));
}

type CaughtSignals = ReturnType<typeof catchSignals>;

function catchSignals(onSignal: (signal: StopSignal) => void) {
  const stopController = new AbortController();
  // Every pending operation adds a listener, so Node must not warn about many listeners.
  setMaxListeners(0, stopController.signal);
  const onStopSignal = (signal: StopSignal) => {
    onSignal(signal);
    stopController.abort(signal);
  };
  for (const signal of stopSignals) process.on(signal, onStopSignal);
  let currentHandler: (signal: StopSignal) => void = onStopSignal;
  const withHandler: WithSignalHandler = async (handler, work) => {
    for (const signal of [...stopSignals, ...programSignals]) process.on(signal, handler);
    for (const signal of stopSignals) process.off(signal, onStopSignal);
    currentHandler = handler;
    try {
      return await work();
    } finally {
      // Node may report the end of the program before the signal that ended it, so `handler` stays a little longer.
      await waitTwoTurns();
      currentHandler = onStopSignal;
      for (const signal of stopSignals) process.on(signal, onStopSignal);
      for (const signal of [...stopSignals, ...programSignals]) process.off(signal, handler);
    }
  };
  // In raw mode Ctrl-C calls the returned `take`. While `withHandler` runs, `take` calls its `handler`.
  return { stopSignal: stopController.signal, take: (signal: StopSignal) => currentHandler(signal), withHandler };
}

function endBySignal(signal: StopSignal): void {
  // The signal ends this process, so a calling script sees the signal and stops too. Windows has only exit codes.
  process.removeAllListeners(signal);
  if (isWindows) process.exit(exitCodesOfSignals[signal]);
  process.kill(process.pid, signal);
}

/** The longest timer that Node supports, in milliseconds. A longer timer would fire at once. */
const longestTimerMs = 2_147_483_647;

const { bun, node } = process.versions;
const isWindows = process.platform === 'win32';

/** Some members are getters, because Node takes a millisecond or more to create a stream or a signal handler. */
function realHost(hooks: Hooks, openStdin: () => Stdin, getCaughtSignals: () => CaughtSignals): RawHost {
  return {
    ...hooks,
    argv: process.argv.slice(2),
    env: takeEnvironment(),
    v8Version: process.versions.v8,
    platform: `${process.platform}; ${bun ? `bun v${bun}` : `node v${node}`}`,
    out: outStream(1, () => process.stdout),
    err: outStream(2, () => process.stderr),
    get stdinTerminal() {
      return isTerminal(0);
    },
    screen: terminalScreen(
      () => (isTerminal(0) && !openStdin().readableEnded ? openStdin() : undefined),
      () => process.stdout,
      // In raw mode Ctrl-C is a key, so we signal the whole process group, as a terminal does in other modes.
      () => (isWindows ? getCaughtSignals().take('SIGINT') : process.kill(0, 'SIGINT')),
    ),
    // A program compiled by Bun is a single file, so no script follows its name.
    self: bun ? [process.execPath] : [process.execPath, process.argv[1] ?? ''],
    pieces: openStdin,
    readStdin: async (mostBytes) => {
      // Node treats an unreadable stdin as empty, so a folder is refused here.
      if (statsOf(0)?.isDirectory()) throw new CliError('usage', 'cannot read stdin: it is a folder');
      const { readStream } = await import('./files/named-file.ts');
      return readStream(openStdin(), 'stdin', { mostBytes, signal: getCaughtSignals().stopSignal });
    },
    ask: async (question, options) => {
      const { askOnTerminal } = await import('./app/ask.ts');
      return askOnTerminal({ input: openStdin(), output: process.stderr, ...getCaughtSignals() }, question, options);
    },
    get signal() {
      return getCaughtSignals().stopSignal;
    },
    signalGroup: isWindows ? undefined : (leader, signal) => void process.kill(-leader, signal),
    now: () => new Date(),
    // `performance` would load a part of Node that nothing else needs.
    elapsed: () => process.uptime() * 1000,
    reference: () => `stackops-${newRequestId()}`,
    sleep: async (ms, signal) => {
      const { setTimeout: wait } = await import('node:timers/promises');
      await wait(Math.min(ms, longestTimerMs), undefined, { signal });
    },
    deadline: (ms) => AbortSignal.timeout(ms),
  };
}

function takeEnvironment(): RawHost['env'] {
  const env = copyEnvironment(process.env, process.platform);
  // Deleted, so that programs that we start do not inherit these variables.
  for (const name of secretVariables) delete process.env[name];
  return env;
}

type Stdin = NodeJS.ReadStream;

type SignalHooks = 'onSecondInterrupt' | 'releaseSignals' | 'withSignalHandler' | 'forceExit';
type Hooks = Pick<RawHost, SignalHooks | 'version' | 'styledPage'>;
