import type { View } from '../../../src/output/view.ts';

const now = new Date('2025-06-01T12:00:00Z');

/** A terminal 80 columns wide, without colour, at noon of 1 June 2025. */
export function onTerminal(more: Partial<View> = {}): View {
  return {
    format: 'table',
    terminal: true,
    width: 80,
    colour: false,
    quiet: false,
    reveal: false,
    now,
    redact: (text) => text,
    ...more,
  };
}

/** The same, piped. */
export function inPipe(more: Partial<View> = {}): View {
  return onTerminal({ format: 'tsv', terminal: false, width: 0, ...more });
}
