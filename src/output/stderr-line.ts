import type { Stderr } from './gate/gate.ts';

/**
 * A line on stderr. Where stderr is read as JSON it is an object of its own, `{"warning":"…"}`, so that a program that
 * waits for `{"error":…}` can tell the lines apart.
 */
export async function writeStderrLine(
  err: Stderr,
  kind: 'note' | 'warning' | 'progress',
  text: string,
  json: boolean,
): Promise<void> {
  if (json) return err.json({ [kind]: text });
  return err.lines([kind === 'warning' ? `warning: ${text}` : text]);
}
