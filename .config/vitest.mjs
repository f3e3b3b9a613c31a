import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { textFiles } from './text-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files with property tests, which are all that `npm run fuzz` reads. */
const filesWithProperties = () =>
  readdirSync(`${root}/test`, { recursive: true })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => /from '.*\/support\/property\.ts'/.test(readFileSync(`${root}/${path}`, 'utf8')));

const fuzzing = process.env.STACKOPS_FUZZ_SEED !== undefined;

/** Two forks: the suite is sized for a machine with two cores, and no test may depend on another file's process. */
export default {
  root,
  plugins: [textFiles],
  test: {
    environment: 'node',
    include: fuzzing ? filesWithProperties() : ['test/**/*.test.ts'],
    tags: [{ name: 'fuzz', description: 'What npm run fuzz runs.' }],
    ...(fuzzing && { tagsFilter: ['fuzz'] }),
    pool: 'forks',
    maxWorkers: 2,
    // Only what hangs takes so long, also where the machine has other work to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    unstubEnvs: true,
    restoreMocks: true,
  },
};
