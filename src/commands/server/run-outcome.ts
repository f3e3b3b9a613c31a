import { oneLine } from '../../contract/values/text.ts';
import { durationText } from '../../contract/values/time.ts';
import type { ErrorKind } from '../../errors/cli-error.ts';
import { exitCodesOfSignals } from '../../errors/exit-codes.ts';
import type { FleetEnd, ServerEnd } from './run-each.ts';
import type { SshTarget } from './ssh-target.ts';

/** Results of a command on a server, and the code of the error if it did not run to its end. */
const states = {
  ok: undefined,
  failed: undefined,
  'not reached': 'unavailable',
  'timed out': 'pending',
  'not started': 'interrupted',
} as const satisfies Readonly<Record<string, ErrorKind | undefined>>;
type State = keyof typeof states;

/** Characters of a message of ssh. */
const longestMessage = 300;

export type ServerOutcome = ReturnType<typeof serverOutcome>;

/** The outcome of the command on one server. */
export function serverOutcome(target: SshTarget, { ends }: FleetEnd, timeoutMs: number) {
  const end = ends.get(target);
  const [state, why] = serverState(target, end, timeoutMs);
  return { target, end, state, why };
}

function serverState(
  { closed }: SshTarget,
  end: ServerEnd | undefined,
  timeoutMs: number,
): readonly [State, why: string] {
  if (closed !== undefined) return ['not reached', closed];
  if (!end) return ['not started', ''];
  if (end.isTimedOut) return ['timed out', `after ${durationText(timeoutMs)}`];
  if (end.code === 0) return ['ok', ''];
  const unreached = end.code === 255 ? sshError(end) : undefined;
  return unreached === undefined ? ['failed', end.signal ?? `exit ${end.code}`] : ['not reached', unreached];
}

/** Messages with which ssh ends before it runs the command; of these the prefix says nothing more. */
const sshErrors = [
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

function sshError({ stderr }: ServerEnd): string | undefined {
  const lines = (capturedText(stderr) ?? '').split('\n').map((line) => oneLine(line.trim(), longestMessage));
  const found = lines.flatMap((line) => sshErrors.flatMap((pattern) => pattern.exec(line)?.[1] ?? []));
  return found.at(-1);
}

/** The exit code of a run and its error. Without an error it succeeded, or the code is that of the command on one server. */
export function fleetEnd(
  outcomes: readonly ServerOutcome[],
  interruptedBy: NodeJS.Signals | undefined,
): { readonly code: number; readonly error?: ErrorKind } {
  const is = (state: State) => (outcome: ServerOutcome) => outcome.state === state;
  const [first, ...others] = outcomes;
  if (interruptedBy) return { code: exitCodesOfSignals[interruptedBy] ?? 1, error: 'interrupted' };
  if (outcomes.some(is('timed out'))) return { code: 8, error: 'pending' };
  if (outcomes.every(({ target }) => target.closed !== undefined)) return { code: 6, error: 'rejected' };
  if (outcomes.every(is('not reached'))) return { code: 7, error: 'unavailable' };
  if (others.length === 0) return { code: first?.end?.code ?? 1 };
  return outcomes.every(is('ok')) ? { code: 0 } : { code: 1, error: 'operation_failed' };
}

/** `4 servers: 3 ok, 1 failed (shop-web-2: exit 3)` */
export function summaryOf(outcomes: readonly ServerOutcome[]): string {
  const parts = Object.keys(states).flatMap((state) => {
    const those = outcomes.filter((outcome) => outcome.state === state);
    const named = those.map(({ target, why }) => (why === '' ? target.name : `${target.name}: ${why}`));
    if (those.length === 0) return [];
    return [`${those.length} ${state}${state === 'ok' ? '' : ` (${named.join(', ')})`}`];
  });
  return `${outcomes.length} ${outcomes.length === 1 ? 'server' : 'servers'}: ${parts.join(', ')}`;
}

export function serverRunRow({ target, state, why, end }: ServerOutcome) {
  const code = target.closed === undefined ? states[state] : 'rejected';
  const [stdout, stderr] = end ? [capturedText(end.stdout), capturedText(end.stderr)] : ['', ''];
  return {
    server: target.name,
    exit_code: code === undefined && end?.signal === null ? end.code : null,
    signal: end?.signal ?? null,
    stdout,
    stderr,
    ...(stdout === null && { stdout_base64: end?.stdout.kept().toString('base64') }),
    ...(stderr === null && { stderr_base64: end?.stderr.kept().toString('base64') }),
    truncated: end ? end.stdout.isTruncated() || end.stderr.isTruncated() : false,
    error: code === undefined ? null : { code, message: `${state}${why === '' ? '' : `: ${why}`}` },
    duration_ms: end?.durationMs ?? 0,
  };
}

/** Null where it is binary. */
function capturedText({ kept, isTruncated }: ServerEnd['stdout']): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    // As a stream, so that a last character that was cut is left out.
    return decoder.decode(kept(), { stream: isTruncated() });
  } catch {
    return null;
  }
}
