import type { Context } from '../../contract/command.ts';
import { exitCodesOfSignals } from '../../errors/exit-codes.ts';
import { firstBytes } from '../../programs/capture.ts';
import { mustPassOn, startRelayed } from '../../programs/run.ts';
import type { Kill } from '../../programs/start.ts';
import type { SshTarget } from './ssh-target.ts';

interface Fleet {
  readonly targets: readonly SshTarget[];
  readonly commandLine: (target: SshTarget) => readonly string[];
  readonly atOnce: number;
  readonly timeoutMs: number;
}

/** `ends` lacks servers on which the program was not started; `isUnread`: our stdout was closed. */
export type FleetEnd = Awaited<ReturnType<typeof runEach>>;
export type ServerEnd = Awaited<ReturnType<typeof runOne>>;

/** Limits for one stream of one server: in the result, and where only the messages of ssh are read. */
const mostBytes = 1024 * 1024;
const mostMessageBytes = 64 * 1024;
/** Between SIGTERM and SIGKILL for ssh. */
const graceMs = 5000;

/**
 * Runs a command on servers, so many at a time. A first signal that ends programs goes to all of them and begins no more;
 * a second one kills.
 */
export async function runEach(context: Context, fleet: Fleet) {
  const { programs } = context.host;
  const left = [...fleet.targets];
  const running = new Set<Kill>();
  const ends = new Map<SshTarget, ServerEnd>();
  let interruptedBy: NodeJS.Signals | undefined;
  let isUnread = false;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const kill of running) kill(signal);
  };
  const heard = (signal: NodeJS.Signals) => {
    if (!(signal in exitCodesOfSignals)) return signalAll(signal);
    const isSecond = interruptedBy !== undefined;
    interruptedBy ??= signal;
    left.length = 0;
    if (isSecond) return signalAll('SIGKILL');
    if (mustPassOn(signal, programs)) signalAll(signal);
    killLater();
  };
  const killLater = () => context.deadline(graceMs).addEventListener('abort', () => signalAll('SIGKILL'));
  const unread = () => {
    isUnread = true;
    left.length = 0;
    signalAll('SIGTERM');
    killLater();
  };
  const work = async () => {
    for (let target = left.shift(); target; target = left.shift()) {
      ends.set(target, await runOne(context, target, { ...fleet, running, unread }));
    }
  };
  await programs.withSignalHandler(heard, async () => {
    try {
      await Promise.all(Array.from({ length: fleet.atOnce }, work));
    } finally {
      signalAll('SIGKILL');
    }
  });
  return { ends, interruptedBy, isUnread };
}

async function runOne(
  context: Context,
  target: SshTarget,
  fleet: Fleet & { readonly running: Set<Kill>; readonly unread: () => void },
) {
  const { env, platform } = context.host.programs;
  const { targets, running, unread } = fleet;
  const startedMs = context.elapsed();
  const most = context.printsData ? mostBytes : mostMessageBytes;
  const [stdout, stderr] = [firstBytes(most), firstBytes(most)];
  const cutters = [lineCutter(), lineCutter()] as const;
  const print = async (isError: boolean, piece?: Buffer) => {
    const lines = cutters[isError ? 1 : 0](piece);
    if (context.printsData || lines.length === 0) return;
    const from = { label: target.name, number: targets.indexOf(target), isError };
    if (!(await context.relay(lines, from))) unread();
  };
  let isTimedOut = false;
  const take = async (piece: Buffer, isError: boolean) => {
    (isError ? stderr : stdout).add(piece);
    await print(isError, piece);
  };
  const { kill, ended } = await startRelayed({ commandLine: fleet.commandLine(target), env, platform, take });
  running.add(kill);
  context.deadline(fleet.timeoutMs).addEventListener('abort', () => {
    isTimedOut = true;
    kill('SIGTERM');
    context.deadline(graceMs).addEventListener('abort', () => kill('SIGKILL'));
  });
  const end = await ended;
  running.delete(kill);
  await print(false);
  await print(true);
  const durationMs = Math.round(context.elapsed() - startedMs);
  return { ...end, isTimedOut, durationMs, stdout, stderr };
}

/** A line that is longer comes in pieces. */
const longestLine = 65_536;

/** Cuts output into lines, without their line feeds; the last call, without a piece, gives the rest. */
function lineCutter(): (piece?: Buffer) => readonly Buffer[] {
  // One character a byte.
  let rest = '';
  return (piece) => {
    const lines = `${rest}${piece?.toString('latin1') ?? ''}`.split('\n');
    const last = lines.pop() ?? '';
    const isOver = !piece || last.length > longestLine;
    if (isOver && last !== '') lines.push(last);
    rest = isOver ? '' : last;
    return lines.map((line) => Buffer.from(line, 'latin1'));
  };
}
