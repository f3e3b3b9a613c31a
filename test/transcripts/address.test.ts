import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

async function hintAt(address: string, words = 'account list'): Promise<string | undefined> {
  const env = { STACKOPS_BASE_URL: address, STACKOPS_TOKEN: 'sandbox_all' };
  const { stderr } = await run(words.split(' '), { env });
  return /^hint: (.*)$/m.exec(stderr)?.[1];
}

test('an address without the version of the API is told with the one that is meant', async () => {
  const sandbox = await startSandbox();
  const { origin } = sandbox.url;
  expect(await hintAt(origin)).toBe(`${origin} has no API version; the address may be ${origin}/api/3`);
  expect((await hintAt(`${origin}/api/9`)) ?? '').not.toContain('no API version');
});

test('so is one where a page for people answers', async () => {
  const { url } = await startService((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>'),
  );
  const { origin } = new URL(url);
  expect(await hintAt(origin)).toContain(`the address may be ${origin}/api/3`);
});

test('a service that does not know an id is not doubted', async () => {
  const { url } = await startService((_, response) =>
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}'),
  );
  const { origin } = new URL(url);
  expect(await hintAt(origin, 'user get 99')).toContain('stackops user list');
  expect(await hintAt(origin, 'account list')).toContain(`the address may be ${origin}/api/3`);
  expect(await hintAt(origin, 'api /users/99')).toContain('stackops user list');
});
