import { fileURLToPath } from 'node:url';
import { preloading } from './built.ts';

/** The built program tells the most memory that it had, as the last line of stderr. */
export const tellPeak = preloading(fileURLToPath(new URL('print-peak-memory.cjs', import.meta.url)));

/** In MiB. */
export function peakIn(stderr: string): number {
  return Number(/^peak (\d+) MiB$/m.exec(stderr)?.[1]);
}
