import { constants } from 'node:os';
import { Problem } from '../../problems/problem.ts';

export interface ChildOptions {
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** On abort the signal named by its reason is sent to the program. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program without a shell, with our streams, and returns its exit code (128 plus the signal that ended it).
 * Throws usage when it cannot be started.
 */
export async function runChild(commandLine: readonly string[], { env, signal }: ChildOptions): Promise<number> {
  const { spawn } = await import('node:child_process');
  const [program = '', ...args] = commandLine;
  const child = spawn(program, args, { env, stdio: 'inherit' });
  const forward = () => child.kill(signalOf(signal.reason));
  signal.addEventListener('abort', forward, { once: true });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(cannotRun(program, error)));
      child.once('exit', (code, name) => resolve(code ?? 128 + constants.signals[name ?? 'SIGTERM']));
    });
  } finally {
    signal.removeEventListener('abort', forward);
  }
}

function signalOf(reason: unknown): 'SIGINT' | 'SIGTERM' {
  return reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
}

function cannotRun(program: string, cause: Error): Problem {
  const code = 'code' in cause ? cause.code : undefined;
  const reason = code === 'ENOENT' ? 'program not found' : cause.message;
  return new Problem('usage', `cannot run "${program}": ${reason}`, { cause });
}
