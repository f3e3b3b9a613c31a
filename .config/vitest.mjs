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
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer } from 'vitest/node';
import { textFiles } from '../scripts/text-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fuzzing = process.env.STACKOPS_FUZZ_SEED !== undefined;

const tests = readdirSync(`${root}/test`, { recursive: true })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
  // Properties are all that `npm run fuzz` reads.
  .filter(({ text }) => !fuzzing || /from '.*\/support\/property\.ts'/.test(text));

/** Whether a file of tests must not share its process with others: what it says itself decides, so that nobody keeps lists. */
const isApart = ({ text }) =>
  /^\/\/ own process: |\bvi\.(?:mock|hoisted|useFakeTimers)\(|\bholdTime\(|process\.env\[.*\] = /m.test(text);
const isLong = ({ text }) =>
  /\b(?:fuzzed|slowProperty)\b|from '(?:node:child_process|.*\/support\/(?:built|terminal|tmux|shell|chromium|recipes|packaging)\.ts)'/.test(
    text,
  );

const kinds = {
  /** Many files within one process, which load the program once. */
  together: { isolate: false, include: pathsOf((file) => !isApart(file)) },
  apart: { include: pathsOf(isApart) },
};

function pathsOf(isMeant) {
  return tests.filter(isMeant).map(({ path }) => path);
}

/** What starts programs takes longest, and waits; many whole runs in one file take long, too. */
class LongFirst extends BaseSequencer {
  async sort(files) {
    const first = new Set(pathsOf((file) => isApart(file) || isLong(file)).map((path) => join(root, path)));
    const sorted = await super.sort(files);
    return [
      ...sorted.filter((file) => first.has(file.moduleId)),
      ...sorted.filter((file) => !first.has(file.moduleId)),
    ];
  }
}
const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

/** The temporary folders of a run lie in one that goes with it. */
function runFolder() {
  const places = process.env.TMPDIR ? [tmpdir()] : ['/dev/shm', tmpdir()];
  const folder = mkdtempSync(join(places.find(isFit), 'stackops-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * In memory, where the system has room there and runs programs from it: nearly every test makes such folders, and a disk
 * takes milliseconds to remove one.
 */
function isFit(place) {
  if (place === tmpdir()) return true;
  try {
    const { bavail, bsize } = statfsSync(place);
    const own = mkdtempSync(join(place, 'stackops-'));
    try {
      writeFileSync(join(own, 'program'), '', { mode: 0o700 });
      accessSync(join(own, 'program'), constants.X_OK);
      return bavail * bsize > 2 ** 30;
    } finally {
      rmSync(own, { recursive: true });
    }
  } catch {
    return false;
  }
}

const temporary = runFolder();

/** For the files of each kind. */
const shared = {
  environment: 'node',
  env: { TMPDIR: temporary },
  tags: [{ name: 'fuzz', description: 'What npm run fuzz runs.' }],
  ...(fuzzing && { tagsFilter: ['fuzz'] }),
  pool: 'forks',
  // Only what hangs takes so long, also where the machine has other work to do.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000 } },
  unstubEnvs: true,
  restoreMocks: true,
  ...(process.env.STACKOPS_UPDATE && { update: true }),
};

export default {
  root,
  test: {
    projects: Object.entries(kinds)
      .filter(([, { include }]) => include.length > 0)
      .map(([name, options]) => ({ root, plugins: [textFiles], test: { name, ...shared, ...options } })),
    // More than there are processors: while programs start and end, their tests wait.
    maxWorkers: availableParallelism() + 2,
    ...(!isShuffled && { sequence: { sequencer: LongFirst } }),
    teardownTimeout: 60_000,
    // What one kind has translated is not translated again for the other.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(temporary, 'modules') },
  },
};
