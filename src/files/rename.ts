import { renameSync } from 'node:fs';
import { faultCode } from './file-fault.ts';
import { ownPlatform } from './identity.ts';

/** A virus scanner may read a new file: half a second in all. */
const mostTries = 10;
/** Tests choose others. */
const real = {
  platform: ownPlatform,
  rename: (from: string, to: string) => renameSync(from, to),
  pause: (): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  },
};

/** Renames a file over another one. Windows refuses this while another process reads either of them. */
export function renameFile(from: string, to: string, { platform, rename, pause } = real): void {
  for (let tries = platform === 'win32' ? mostTries : 1; tries > 0; tries -= 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (tries === 1 || !/^(EPERM|EACCES|EBUSY)$/.test(faultCode(error) ?? '')) throw error;
    }
    pause();
  }
}
