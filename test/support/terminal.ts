import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type Environment, known, watchText } from './built.ts';

export interface Terminal {
  /** Resolves when the screen, all it showed so far, matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  type(keys: string): void;
  /** Closes the window: what runs in it is hung up. */
  close(): void;
  /** Resolves when nothing runs in it any more. */
  readonly left: Promise<unknown>;
  /** The exit code as a shell sees it, 128 plus the number of a signal, and everything that was shown. */
  readonly ended: Promise<{ readonly code: number | null; readonly screen: string }>;
}

export const ctrlC = '\x03';

/**
 * Runs a line of bash in a real terminal (util-linux `script`), in which `stackops` is the built program. Descriptor 3
 * is a pipe that everything started in there inherits; its end says that the last of it is gone.
 */
export function openTerminal(line: string, env: Environment, columns = 80): Terminal {
  const inside = `stty rows 24 cols ${columns}; ${known}${line}`;
  const child = spawn('script', ['-qec', inside, '/dev/null'], {
    env: { ...env, SHELL: '/bin/bash', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const screen = watchText(child.stdout);
  const alive = child.stdio[3] as NodeJS.ReadableStream;
  const left = once(alive.resume(), 'close');
  return {
    shows: screen.shows,
    type: (keys) => void child.stdin?.write(keys),
    close: () => void child.kill('SIGKILL'),
    left,
    ended: once(child, 'close').then(([code]) => ({ code, screen: screen.text() })),
  };
}
