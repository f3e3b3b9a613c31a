import { onTestFinished, vi } from 'vitest';

export interface HeldTime {
  /** Lets time go by for every time-out of this process. */
  passes(ms: number): void;
  /** How many time-outs are running. */
  running(): number;
}

/** From now on until the test ends no time-out of this process ends by itself. */
export function holdTime(): HeldTime {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return { passes: (ms) => void vi.advanceTimersByTime(ms), running: () => vi.getTimerCount() };
}
