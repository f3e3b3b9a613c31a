import type { Context } from '../../contract/command.ts';
import { oneLine } from '../../contract/values/text.ts';
import { durationText } from '../../contract/values/time.ts';
import { type ErrorKind, exitCodesOfSignals } from '../../errors/cli-error.ts';
import { createBoundedBuffer } from '../../programs/capture.ts';
import { mustPassOnSignal, startRelayedProgram } from '../../programs/run.ts';
import type { Kill } from '../../programs/start.ts';
import type { SshTarget } from './ssh-target.ts';

interface Fleet {
  readonly targets: readonly SshTarget[];
  readonly commandLine: (target: SshTarget) => readonly string[];
  readonly atOnce: number;
  readonly timeoutMs: number;
}

/** The end of a run. `ends` has only servers on which ssh was started. `isOutputClosed`: our stdout was closed. */
type FleetEnd = Awaited<ReturnType<typeof runEach>>;
type ServerEnd = Awaited<ReturnType<typeof runOnServer>>;

/** Maximum bytes of stdout or stderr of one server in JSON output. */
const maxOutputBytes = 1024 * 1024;
/** Maximum bytes of stdout or stderr that are kept without JSON output, which needs only the messages of ssh. */
const maxMessageBytes = 64 * 1024;
/** Time between SIGTERM and SIGKILL for ssh. */
const graceMs = 5000;

/** Runs a command on several servers at a time. The first signal stops ssh for all servers, the second one kills it. */
export async function runEach(context: Context, fleet: Fleet) {
  const { programs } = context.host;
  const queuedTargets = [...fleet.targets];
  const kills = new Set<Kill>();
  const ends = new Map<SshTarget, ServerEnd>();
  let interruptedBy: NodeJS.Signals | undefined;
  let isOutputClosed = false;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const kill of kills) kill(signal);
  };
  const stopAll = (signal?: NodeJS.Signals) => {
    queuedTargets.length = 0;
    if (signal) signalAll(signal);
    context.deadline(graceMs).addEventListener('abort', () => signalAll('SIGKILL'));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (!(signal in exitCodesOfSignals)) return signalAll(signal);
    if (interruptedBy !== undefined) return signalAll('SIGKILL');
    interruptedBy = signal;
    stopAll(mustPassOnSignal(signal, programs) ? signal : undefined);
  };
  const onUnread = () => {
    isOutputClosed = true;
    stopAll('SIGTERM');
  };
  // All runs of `processQueue` share this iterator, which also ends when `stopAll` empties the list.
  const queue = queuedTargets.values();
  const processQueue = async () => {
    for (const target of queue) ends.set(target, await runOnServer(context, target, { ...fleet, kills, onUnread }));
  };
  await programs.withSignalHandler(onSignal, async () => {
    try {
      await Promise.all(Array.from({ length: fleet.atOnce }, processQueue));
    } finally {
      signalAll('SIGKILL');
    }
  });
  return { ends, interruptedBy, isOutputClosed };
}

type RunningFleet = Fleet & { readonly kills: Set<Kill>; readonly onUnread: () => void };

async function runOnServer(context: Context, target: SshTarget, fleet: RunningFleet) {
  const { env, platform } = context.host.programs;
  const { targets, kills, onUnread } = fleet;
  const startedMs = context.elapsed();
  const keptBytes = context.printsData ? maxOutputBytes : maxMessageBytes;
  const [stdout, stderr] = [createBoundedBuffer(keptBytes), createBoundedBuffer(keptBytes)];
  const cutters = [createLineCutter(), createLineCutter()] as const;
  const print = async (isStderr: boolean, piece?: Buffer) => {
    const lines = cutters[isStderr ? 1 : 0](piece);
    if (context.printsData || lines.length === 0) return;
    const lineSource = { label: target.name, number: targets.indexOf(target), isError: isStderr };
    if (!(await context.relay(lines, lineSource))) onUnread();
  };
  const take = async (piece: Buffer, isStderr: boolean) => {
    (isStderr ? stderr : stdout).add(piece);
    await print(isStderr, piece);
  };
  const { kill, ended } = await startRelayedProgram({ commandLine: fleet.commandLine(target), env, platform, take });
  kills.add(kill);
  const timeLimitSignal = context.deadline(fleet.timeoutMs);
  timeLimitSignal.addEventListener('abort', () => {
    kill('SIGTERM');
    context.deadline(graceMs).addEventListener('abort', () => kill('SIGKILL'));
  });
  const end = await ended;
  kills.delete(kill);
  await print(false);
  await print(true);
  const durationMs = Math.round(context.elapsed() - startedMs);
  return { ...end, isTimedOut: timeLimitSignal.aborted, durationMs, stdout, stderr };
}

/** Bytes of the longest line that is printed whole. A longer line is printed in pieces. */
const maxLineBytes = 65_536;

function createLineCutter(): (piece?: Buffer) => readonly Buffer[] {
  // Read as latin1, each byte is one character, so a cut loses nothing.
  let unfinishedLine = '';
  return (piece) => {
    const lines = `${unfinishedLine}${piece?.toString('latin1') ?? ''}`.split('\n');
    const lastLine = lines.pop() ?? '';
    const shouldFlushLine = !piece || lastLine.length > maxLineBytes;
    if (shouldFlushLine && lastLine !== '') lines.push(lastLine);
    unfinishedLine = shouldFlushLine ? '' : lastLine;
    return lines.map((line) => Buffer.from(line, 'latin1'));
  };
}

/** The error code for each result on one server; undefined if the command ran to its end. */
const errorCodes = {
  ok: undefined,
  failed: undefined,
  'not reached': 'unavailable',
  'timed out': 'pending',
  'not started': 'interrupted',
} as const satisfies Readonly<Record<string, ErrorKind | undefined>>;
type RunState = keyof typeof errorCodes;

/** Maximum characters of a message of ssh. */
const maxMessageLength = 300;

export type ServerOutcome = ReturnType<typeof serverOutcome>;

export function serverOutcome(target: SshTarget, { ends }: FleetEnd, timeoutMs: number) {
  const end = ends.get(target);
  const [state, why] = runStateOf(target, end, timeoutMs);
  return { target, end, state, why };
}

type StateAndReason = readonly [RunState, why: string];

function runStateOf({ closedReason }: SshTarget, end: ServerEnd | undefined, timeoutMs: number): StateAndReason {
  if (closedReason !== undefined) return ['not reached', closedReason];
  if (!end) return ['not started', ''];
  if (end.isTimedOut) return ['timed out', `after ${durationText(timeoutMs)}`];
  if (end.code === 0) return ['ok', ''];
  const sshMessage = end.code === 255 ? findSshMessage(end) : undefined;
  return sshMessage === undefined ? ['failed', end.signal ?? `exit ${end.code}`] : ['not reached', sshMessage];
}

/** Match messages with which ssh ends before it runs the command. The prefix `ssh: ` is left out. */
const sshMessagePatterns = [
  /^ssh: (.*)$/,
  /^(stdio forwarding failed)$/,
  /^(Host key verification failed\.?)$/,
  /^([^(]*Permission denied \([^)]*\)\.?)$/,
  /^(Unable to negotiate .*)$/,
  /^(Received disconnect .*)$/,
  /^((?:kex_exchange_identification|ssh_exchange_identification|banner exchange|Bad owner or permissions).*)$/,
  /^(Connection (?:closed|reset) by .* port \d+.*)$/,
  /^(Connection timed out during banner exchange)$/,
];

function findSshMessage({ stderr }: ServerEnd): string | undefined {
  const lines = (capturedText(stderr) ?? '').split('\n').map((line) => oneLine(line.trim(), maxMessageLength));
  return lines.flatMap((line) => sshMessagePatterns.flatMap((pattern) => pattern.exec(line)?.[1] ?? [])).at(-1);
}

type FleetExit = { readonly code: number; readonly error?: ErrorKind };

/** Returns our exit code and the kind of the error, if any. One server that ended gives the remote command's code. */
export function exitOf(outcomes: readonly ServerOutcome[], interruptedBy: NodeJS.Signals | undefined): FleetExit {
  const hasState = (state: RunState) => (outcome: ServerOutcome) => outcome.state === state;
  const [first, ...otherOutcomes] = outcomes;
  if (interruptedBy) return { code: exitCodesOfSignals[interruptedBy] ?? 1, error: 'interrupted' };
  if (outcomes.some(hasState('timed out'))) return { code: 8, error: 'pending' };
  if (outcomes.every(({ target }) => target.closedReason !== undefined)) return { code: 6, error: 'rejected' };
  if (outcomes.every(hasState('not reached'))) return { code: 7, error: 'unavailable' };
  if (otherOutcomes.length === 0) return { code: first?.end?.code ?? 1 };
  return outcomes.every(hasState('ok')) ? { code: 0 } : { code: 1, error: 'operation_failed' };
}

/** Returns a line such as `4 servers: 3 ok, 1 failed (shop-web-2: exit 3)`. */
export function summaryText(outcomes: readonly ServerOutcome[]): string {
  const stateTexts = Object.keys(errorCodes).flatMap((state) => {
    const matching = outcomes.filter((outcome) => outcome.state === state);
    const details = matching.map(({ target, why }) => (why === '' ? target.name : `${target.name}: ${why}`));
    if (matching.length === 0) return [];
    return [`${matching.length} ${state}${state === 'ok' ? '' : ` (${details.join(', ')})`}`];
  });
  return `${outcomes.length} ${outcomes.length === 1 ? 'server' : 'servers'}: ${stateTexts.join(', ')}`;
}

export function serverRunRow({ target, state, why, end }: ServerOutcome) {
  const errorCode = target.closedReason === undefined ? errorCodes[state] : 'rejected';
  const [stdout, stderr] = end ? [capturedText(end.stdout), capturedText(end.stderr)] : ['', ''];
  return {
    server: target.name,
    exit_code: errorCode === undefined && end?.signal === null ? end.code : null,
    signal: end?.signal ?? null,
    stdout,
    stderr,
    ...(stdout === null && { stdout_base64: end?.stdout.bytes().toString('base64') }),
    ...(stderr === null && { stderr_base64: end?.stderr.bytes().toString('base64') }),
    truncated: end ? end.stdout.isTruncated() || end.stderr.isTruncated() : false,
    error: errorCode === undefined ? null : { code: errorCode, message: `${state}${why === '' ? '' : `: ${why}`}` },
    duration_ms: end?.durationMs ?? 0,
  };
}

function capturedText({ bytes, isTruncated }: ServerEnd['stdout']): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    // With `stream` the decoder omits a character that was cut off.
    return decoder.decode(bytes(), { stream: isTruncated() });
  } catch {
    return null;
  }
}
