import { fileURLToPath } from 'node:url';
import { textFiles } from './text-files.mjs';

/** Two forks: the suite is sized for a machine with two cores, and no test may depend on another file's process. */
export default {
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [textFiles],
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 5_000,
    unstubEnvs: true,
    restoreMocks: true,
  },
};
