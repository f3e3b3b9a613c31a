import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textFiles } from './text-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fuzzing = process.env.STACKOPS_FUZZ_SEED !== undefined;

const tests = readdirSync(`${root}/test`, { recursive: true })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
  // Properties are all that `npm run fuzz` reads.
  .filter(({ text }) => !fuzzing || /from '.*\/support\/property\.ts'/.test(text));

/** Files that would fill the memory or the processors of the machine beside others. */
const large = ['test/memory.test.ts', 'test/stories/long-list.test.ts'];

/** What a file of tests must not share with others: what it says itself decides, so that nobody keeps lists. */
function kindOf({ path, text }) {
  if (large.includes(path)) return 'large';
  if (/from '.*\/support\/(?:built|terminal|tmux|shell|chromium|recipes)\.ts'/.test(text)) return 'programs';
  const isChanging =
    /^\/\/ own process: |\bvi\.(?:mock|hoisted|useFakeTimers)\(|\bholdTime\(|process\.env\[.*\] = /m.test(text);
  return isChanging ? 'apart' : 'together';
}

/**
 * Temporary folders lie in memory, where the system has room for them there and runs programs from it: nearly every test
 * makes some, and a disk takes milliseconds to remove one.
 */
function inMemory() {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (process.env.TMPDIR || bavail * bsize < 2 ** 30) return {};
    const own = mkdtempSync(join(folder, 'stackops-test-'));
    try {
      writeFileSync(join(own, 'program'), '', { mode: 0o700 });
      accessSync(join(own, 'program'), constants.X_OK);
      return { TMPDIR: folder };
    } finally {
      rmSync(own, { recursive: true });
    }
  } catch {
    return {};
  }
}
const env = inMemory();

/**
 * One after another: tests within one process for many files, which load the program once, two at a time for a machine
 * with two cores; those that wait for other programs, more at a time; those that need the whole machine.
 */
const projects = Object.entries({
  together: { env, isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } },
  apart: { env, maxWorkers: 2, sequence: { groupOrder: 0 } },
  programs: { env, isolate: false, maxWorkers: 3, sequence: { groupOrder: 1 } },
  large: { maxWorkers: 1, sequence: { groupOrder: 2 } },
}).map(([name, options]) => {
  const include = tests.filter((file) => kindOf(file) === name).map(({ path }) => path);
  return { extends: true, test: { name, include, ...options } };
});

export default {
  root,
  plugins: [textFiles],
  test: {
    environment: 'node',
    projects: projects.filter((project) => project.test.include.length > 0),
    tags: [{ name: 'fuzz', description: 'What npm run fuzz runs.' }],
    ...(fuzzing && { tagsFilter: ['fuzz'] }),
    pool: 'forks',
    // Only what hangs takes so long, also where the machine has other work to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    unstubEnvs: true,
    restoreMocks: true,
  },
};
