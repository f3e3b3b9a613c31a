import type { Stderr } from './safe/create-output.ts';

/** Prints a line on stderr, or `{"warning":"…"}` for a program that reads JSON errors there. */
export async function writeStderrLine(
  err: Stderr,
  kind: 'note' | 'warning' | 'progress',
  text: string,
  json: boolean,
): Promise<void> {
  if (json) return err.json({ [kind]: text });
  return err.lines([kind === 'warning' ? `warning: ${text}` : text]);
}
