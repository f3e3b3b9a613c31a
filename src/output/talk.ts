/** What stderr says besides errors. */
export type Talk = 'note' | 'warning' | 'progress';

/**
 * A line for stderr. Where stderr is read as JSON it is an object of its own, `{"warning":"…"}`, so that a program that
 * waits for `{"error":…}` can tell what it reads.
 */
export function talkLine(kind: Talk, text: string, json: boolean): string {
  if (json) return `${JSON.stringify({ [kind]: text })}\n`;
  return kind === 'warning' ? `warning: ${text}\n` : `${text}\n`;
}
