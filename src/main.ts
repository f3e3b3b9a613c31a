import { setMaxListeners } from 'node:events';
import { fstatSync } from 'node:fs';
import { compose } from './app/compose.ts';
import { closableInput, isTerminal, isTerminalClosed, lostOutput, outStream, terminalScreen } from './app/streams.ts';
import { type RawHost, readEnvironment } from './cli/host.ts';
import { once } from './contract/values/once.ts';
import { CliError, exitCodesOfSignals, interruptedError } from './errors/cli-error.ts';
import { newRequestId } from './http/request-id.ts';
import { secretVariables } from './output/safe/create-output.ts';

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Stop = (typeof stops)[number];
/** Signals that are also passed on to a program that we run. */
const passedOn = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * The composition root: the only file, with the launcher, that touches the process. The exit code was set to 1 before
 * anything ran and becomes the real one last. `process.exit` cuts piped output, so it is called only when a run that
 * has printed everything asks for it.
 */
export async function main(version: string, styledPage: (page: string) => string): Promise<void> {
  let received: Stop | undefined;
  let onSecond: (() => void) | undefined;
  const signals = once(() =>
    catchSignals((signal) => {
      const [first, second] = [received, onSecond];
      received ??= signal;
      onSecond = undefined;
      if (second && first) second();
      else if (first) raise(first);
    }),
  );
  let input: Stdin | undefined;
  const stdin = () => (input ??= closableInput(process.stdin));
  const releaseSignals = async () => {
    await turns();
    for (const signal of stops) process.removeAllListeners(signal);
    return received === undefined;
  };
  let isLeaving = false;
  const forceExit = () => {
    isLeaving = true;
  };
  const onSecondInterrupt = (work: () => void) => {
    onSecond = work;
  };
  let hadHandler = false;
  let passed: Stop | undefined;
  const withSignalHandler: WithSignalHandler = async (take, work) => {
    const { withHandler } = signals();
    if (received) throw interruptedError();
    hadHandler = true;
    return withHandler((signal) => {
      passed = stops.find((stop) => stop === signal) ?? passed;
      take(signal);
    }, work);
  };
  const hooks = { version, styledPage, onSecondInterrupt, releaseSignals, withSignalHandler, forceExit };
  const code = await compose(realHost(hooks, stdin, signals));
  // Node 20 aborts at a normal end without its terminal.
  if (isTerminalClosed()) raise('SIGHUP');
  if (isLeaving) process.exit(code);
  input?.destroy();
  // A terminal sends Ctrl-C to the program too, and Node may report its end first.
  if (hadHandler && [0, 1, 2].some(isTerminal)) passed ??= 'SIGINT';
  // A program may use a signal for something other than its end.
  const stop = received ?? (passed && exitCodesOfSignals[passed] === code ? passed : undefined);
  if (stop) raise(stop);
  else process.exitCode = code;
}

/** Node reports a signal between two turns, and only while a handler is installed. */
async function turns(): Promise<void> {
  for (let left = 2; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

type WithSignalHandler = RawHost['withSignalHandler'];

type Caught = ReturnType<typeof catchSignals>;

function catchSignals(onSignal: (signal: Stop) => void) {
  const stop = new AbortController();
  // Every pending operation listens to it.
  setMaxListeners(0, stop.signal);
  const take = (signal: Stop) => {
    onSignal(signal);
    stop.abort(signal);
  };
  for (const signal of stops) process.on(signal, take);
  let current: (signal: Stop) => void = take;
  // Hands all signals to `handler` while `work` runs.
  const withHandler: WithSignalHandler = async (handler, work) => {
    for (const signal of [...stops, ...passedOn]) process.on(signal, handler);
    for (const signal of stops) process.off(signal, take);
    current = handler;
    try {
      return await work();
    } finally {
      // Node may report the end of the program before the key that ended it.
      await turns();
      current = take;
      for (const signal of stops) process.on(signal, take);
      for (const signal of [...stops, ...passedOn]) process.off(signal, handler);
    }
  };
  // A key that is typed during `withHandler` is for its handler, too.
  return { stop: stop.signal, take: (signal: Stop) => current(signal), withHandler };
}

function raise(signal: Stop): void {
  // A calling script sees the signal and stops too. Windows has only exit codes.
  process.removeAllListeners(signal);
  if (process.platform === 'win32') process.exit(exitCodesOfSignals[signal]);
  process.kill(process.pid, signal);
}

function interruptGroup(take: Caught['take']): void {
  // In raw mode Ctrl-C is a key. The whole process group gets the signal, as from a terminal.
  if (process.platform === 'win32') take('SIGINT');
  else process.kill(0, 'SIGINT');
}

/** The limit of Node; a longer timer would fire at once. */
const longestTimerMs = 2_147_483_647;

const { bun, node } = process.versions;
/** The runtime, for the User-Agent. */
const runtime = bun ? `bun v${bun}` : `node v${node}`;

/** Getters, because streams and signal handlers take a millisecond or more when Node first creates them. */
function realHost(hooks: Hooks, stdin: () => Stdin, signals: () => Caught): RawHost {
  return {
    ...hooks,
    argv: process.argv.slice(2),
    env: takeEnvironment(),
    v8Version: process.versions.v8,
    platform: `${process.platform}; ${runtime}`,
    out: outStream(1, () => process.stdout, lostOutput),
    // A failed write to stderr cannot be reported on stderr.
    err: outStream(
      2,
      () => process.stderr,
      () => undefined,
    ),
    get stdinTerminal() {
      return isTerminal(0);
    },
    screen: terminalScreen(
      () => (isTerminal(0) && !stdin().readableEnded ? stdin() : undefined),
      () => process.stdout,
      () => interruptGroup(signals().take),
    ),
    // A program compiled by Bun is a single file, without a script.
    self: bun ? [process.execPath] : [process.execPath, process.argv[1] ?? ''],
    pieces: stdin,
    readStdin: (mostBytes) => readInput(stdin, () => signals().stop, mostBytes),
    ask: async (question, options) => {
      const { askOn } = await import('./app/ask.ts');
      return askOn({ input: stdin(), output: process.stderr, ...signals() }, question, options);
    },
    get signal() {
      return signals().stop;
    },
    signalGroup: process.platform === 'win32' ? undefined : (leader, signal) => void process.kill(-leader, signal),
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
  const env = readEnvironment(process.env, process.platform);
  // Programs that we start do not inherit these variables, unless they are passed on explicitly.
  for (const name of secretVariables) delete process.env[name];
  return env;
}

type Stdin = typeof process.stdin;

type SignalHooks = 'onSecondInterrupt' | 'releaseSignals' | 'withSignalHandler' | 'forceExit';
type Hooks = Pick<RawHost, SignalHooks | 'version' | 'styledPage'>;

async function readInput(input: () => Stdin, stop: () => AbortSignal, mostBytes: number): Promise<Uint8Array> {
  const { readStream } = await import('./files/named-file.ts');
  // Node takes a stdin that it cannot read for an empty one.
  if (isFolder(0)) throw new CliError('usage', 'cannot read stdin: it is a folder');
  return readStream(input(), 'stdin', { mostBytes, stop: stop() });
}

function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    return false;
  }
}
