import type { Stderr } from './safe/create-output.ts';

/** A line on stderr, or `{"warning":"…"}` where a program reads JSON there and waits for `{"error":…}`. */
export async function writeStderrLine(
  err: Stderr,
  kind: 'note' | 'warning' | 'progress',
  text: string,
  json: boolean,
): Promise<void> {
  if (json) return err.json({ [kind]: text });
  return err.lines([kind === 'warning' ? `warning: ${text}` : text]);
}
