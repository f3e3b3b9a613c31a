import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, preloading, runBuilt } from '../support/built.ts';
import { reply, startService } from '../support/service.ts';

const names = Array.from({ length: 60 }, (_, at) => at.toString(16).padStart(32, '0'));

/** A service that fails whatever is read of its stacks, which all wait to read it again together. */
async function storm() {
  const service = await startService(({ path }, response) => {
    const rows = names.map((uid) => ({ uid, name: uid, environment: 'production', status: 1, is_busy: false }));
    if (path.endsWith('/stacks')) reply(response, { response: rows });
    else reply(response, { error: 'x' }, 503);
  });
  return ownEnvironment({ STACKOPS_BASE_URL: service.url, STACKOPS_RETRIES: '1' });
}

test('sixty stacks that wait together need no warning of Node', async () => {
  const env = await storm();
  const spy = preloading(join(import.meta.dirname, '../support/print-warnings.cjs'));
  const { stderr } = await runBuilt(['status', '--all'], { env: { ...env, ...spy } });
  expect(stderr).not.toContain('process warning');
});

test.each([[['--json']], [[]]])('a line of Node is never on stderr (%s)', async (flags) => {
  const warns = preloading(join(import.meta.dirname, '../support/emit-warning.cjs'));
  const { stdout, stderr, code } = await runBuilt(['--sandbox', 'stack', 'list', ...flags], {
    env: ownEnvironment(warns),
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('shop')]);
  expect(stderr).not.toMatch(/\(node|Warning/);
});
