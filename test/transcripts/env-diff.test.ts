import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('the stack is on the left, the file on the right', transcriptFile);
test('--keys-only prints no value', transcriptFile);
test('--exit-code is 10 where something differs', transcriptFile);
test('two stacks: what the service itself sets is not compared', transcriptFile);

test('a read-only variable is compared where the file has it', () =>
  transcript(`
    $ stackops stack env diff - -s shop --json
    < STACK_NAME=other
    ! {"note":"34 only in the stack; --all lists them"}
    [{"key":"STACK_NAME","change":"changed","left":"shop","right":"other"}]
  `));

test('the exit code follows the rows that are listed', transcriptFile);
test('over several stacks it follows them too, also where --where is about the stack', transcriptFile);
test('what cannot be compared', transcriptFile);

test('a value that the service hides differs from nothing', async () => {
  const rows = [
    { key: 'API_PASSWORD', value: '******', is_password: true },
    { key: 'LEVEL', value: 'info', is_password: false },
  ];
  const { env } = await startService((_, response) => reply(response, { response: rows, pagination: { next: null } }));
  const words = ['stack', 'env', 'diff', '-', '--exit-code', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
  for (const stdin of ['LEVEL=info\n', 'API_PASSWORD=real\nLEVEL=info\n']) {
    expect(await run(words, { env, stdin })).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'warning: left out, because the service sends *** instead of the value: API_PASSWORD\nNo variable of the file differs.\n',
    });
  }
});
