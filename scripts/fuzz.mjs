import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/** Runs the property tests with many random cases: `npm run fuzz`, `npm run fuzz -- test/output -t YAML`. */
const words = process.argv.slice(2);
const seed = process.env.STACKOPS_FUZZ_SEED ?? String(randomInt(2 ** 31));
console.log(`seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', '.config/vitest.mjs', '--reporter=verbose', ...words],
  { stdio: 'inherit', env: { ...process.env, STACKOPS_FUZZ_SEED: seed } },
);
if (status !== 0) console.log(`repeat with: STACKOPS_FUZZ_SEED=${seed} npm run fuzz -- <the test file above>`);
process.exitCode = status ?? 1;
