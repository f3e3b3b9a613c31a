import { expect, test } from 'vitest';
import { reply, startService } from '../../support/service.ts';
import { ownFolders, run } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('a stack that was chosen by name is shown by it; JSON has the UID, too', transcriptFile);

test('an account whose stacks are not listed is named', transcriptFile);

test('where the name means another stack by now, the UID counts and is shown; a read asks only before it prints a hint', async () => {
  const [chosen, other] = ['a'.repeat(32), 'b'.repeat(32)];
  let uid = chosen;
  const service = await startService(({ path }, response) => {
    if (path === '/stacks') return reply(response, { response: [{ uid, name: 'shop' }], count: 1 });
    reply(response, { response: [{ id: 1, key: 'A', value: '1' }], count: 1 });
  });
  const env = { ...service.env, ...ownFolders() };
  expect(await run(['stack', 'use', 'shop'], { env })).toMatchObject({ code: 0 });
  uid = other;
  service.seen.length = 0;
  await run(['env', 'list'], { env });
  expect(service.seen.map(({ path }) => path)).toEqual([`/stacks/${chosen}/environments`]);
  service.seen.length = 0;
  const { stderr } = await run(['env', 'get', 'B'], { env });
  expect(stderr).toContain(`hint: stackops stack env list -s ${chosen}\n`);
  expect(service.seen.map(({ path }) => path)).toEqual([`/stacks/${chosen}/environments`, '/stacks']);
  service.seen.length = 0;
  await run(['env', 'set', 'A=2'], { env });
  const { stdout } = await run(['history', 'list', '--jq', '.[0].stack_name'], { env });
  expect(stdout).toBe(`${chosen}\n`);
  expect(service.seen.map(({ path }) => path).filter((path) => path.includes(other))).toEqual([]);
});
