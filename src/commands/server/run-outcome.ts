import { durationText } from '../../contract/values/time.ts';
import { exitCodesOfSignals } from '../../problems/exit-codes.ts';
import type { ProblemKind } from '../../problems/problem.ts';
import { closedGateway } from './closed-gateway.ts';
import type { FleetEnd, ServerEnd } from './run-each.ts';
import type { ServerRunRow } from './run-record.ts';
import type { SshTarget } from './ssh-target.ts';

const states = ['ok', 'failed', 'not reached', 'timed out', 'not started'] as const;
type State = (typeof states)[number];

/** What became of the command on one server, in a word. */
export interface ServerOutcome {
  readonly target: SshTarget;
  readonly state: State;
  /** `exit 3` */
  readonly why: string;
  readonly end?: ServerEnd | undefined;
}

export function serverOutcome(target: SshTarget, { ends }: FleetEnd, timeoutMs: number): ServerOutcome {
  const closed = closedGateway(target);
  const end = ends.get(target);
  if (closed !== undefined) return { target, state: 'not reached', why: closed };
  if (!end) return { target, state: 'not started', why: '' };
  if (end.isTimedOut) return { target, end, state: 'timed out', why: `after ${durationText(timeoutMs)}` };
  if (end.code === 0) return { target, end, state: 'ok', why: '' };
  const unreached = end.code === 255 ? sshError(end) : undefined;
  if (unreached !== undefined) return { target, end, state: 'not reached', why: unreached };
  return { target, end, state: 'failed', why: end.signal ?? `exit ${end.code}` };
}

/** What ssh itself says where it did not get there; with the second words, behind a gateway. */
function sshError({ stderr }: ServerEnd): string | undefined {
  const [, own, jump] = /^(?:ssh: (.*?)|(stdio forwarding failed))\s*$/m.exec(stderr.text ?? '') ?? [];
  return own ?? jump;
}

/** One server says it itself. */
export function fleetCode(outcomes: readonly ServerOutcome[], { interruptedBy }: FleetEnd): number {
  const is = (state: State) => (outcome: ServerOutcome) => outcome.state === state;
  const [first, ...others] = outcomes;
  if (interruptedBy) return exitCodesOfSignals[interruptedBy] ?? 1;
  if (outcomes.some(is('timed out'))) return 8;
  if (outcomes.every(is('not reached'))) return 7;
  if (others.length > 0) return outcomes.every(is('ok')) ? 0 : 1;
  return first?.end?.code ?? 1;
}

/** `4 servers: 3 ok, 1 failed (shop-web-2: exit 3)` */
export function summaryOf(outcomes: readonly ServerOutcome[]): string {
  const parts = states.flatMap((state) => {
    const those = outcomes.filter((outcome) => outcome.state === state);
    const named = those.map(({ target, why }) => (why === '' ? target.name : `${target.name}: ${why}`));
    if (those.length === 0) return [];
    return [`${those.length} ${state}${state === 'ok' ? '' : ` (${named.join(', ')})`}`];
  });
  return `${outcomes.length} ${outcomes.length === 1 ? 'server' : 'servers'}: ${parts.join(', ')}`;
}

const errorCodes: Readonly<Partial<Record<State, ProblemKind>>> = {
  'not reached': 'unavailable',
  'timed out': 'pending',
  'not started': 'interrupted',
};

export function serverRunRow({ target, state, why, end }: ServerOutcome): ServerRunRow {
  const code = errorCodes[state];
  const [stdout, stderr] = [end?.stdout.text ?? '', end?.stderr.text ?? ''];
  return {
    server: target.name,
    exit_code: code === undefined && end && end.signal === null ? end.code : null,
    signal: end?.signal ?? null,
    stdout: end?.stdout.text === null ? null : stdout,
    stderr: end?.stderr.text === null ? null : stderr,
    ...(end?.stdout.text === null && { stdout_base64: end.stdout.base64 }),
    ...(end?.stderr.text === null && { stderr_base64: end.stderr.base64 }),
    truncated: Boolean(end?.stdout.isTruncated || end?.stderr.isTruncated),
    error: code === undefined ? null : { code, message: `${state}${why === '' ? '' : `: ${why}`}` },
    duration_ms: end?.durationMs ?? 0,
  };
}
