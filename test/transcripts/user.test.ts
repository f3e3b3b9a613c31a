import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('as data a user is one request, also at a terminal', async () => {
  const { stderr } = await run(['user', 'get', '7', '--json', '-v', '--sandbox'], { terminal: 80 });
  expect(stderr.match(/GET \S+/g)).toEqual(['GET /users/7']);
});

test('users are listed', transcriptFile);
test('a user is shown by id or address, with rights, roles and devices', transcriptFile);
test('an access profile is changed, and only what differs is sent', transcriptFile);
test('only a right or a role that is granted needs a confirmation', transcriptFile);
test('rights and roles that make no sense cost no request', transcriptFile);
test('a file is held against the profile', transcriptFile);
