import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const other = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
const variants = (stack: string) => [{ uid: `va-of-${stack.slice(0, 4)}`, variant_type: 'canary', percentage: 10 }];

/** A service with one stack called shop. It replies in the order that `hold` allows. */
async function serve() {
  const state = {
    shop,
    isGone: true,
    isRefusing: false,
    name: 'shop',
    hold: (_: Seen, send: () => void): void => send(),
  };
  const service = await startService((seen, response) => {
    state.hold(seen, () => {
      const { path, method } = seen;
      if (state.isRefusing) return reply(response, { error: 'unauthorized' }, 401);
      if (path === '/stacks')
        return reply(response, { response: [{ uid: state.shop, name: state.name, environment: 'production' }] });
      const [, , stack = ''] = path.split('/');
      if (stack !== state.shop && state.isGone) return reply(response, { details: 'gone' }, 404);
      response.setHeader('x-cloud66-warning', `about ${stack.slice(0, 4)}`);
      return reply(response, method === 'GET' ? { response: variants(stack) } : { response: { ok: true } });
    });
  });
  const folders = { XDG_CACHE_HOME: temporaryFolder(), STACKOPS_CONFIG_DIR: temporaryFolder() };
  const env = { ...service.env, STACKOPS_RETRIES: '0', ...folders };
  const play = async (words: string, more: Readonly<Record<string, string>> = {}) => {
    service.seen.length = 0;
    const ran = await run(words.split(' '), { env: { ...env, ...more } });
    return { ...ran, asked: service.seen.map(({ method, path }) => `${method} ${path}`) };
  };
  return { state, play, file: join(folders.XDG_CACHE_HOME, 'stackops/completion/default.json') };
}

/** Holds back what `isHeld` names until the other request has come. */
function heldUntilBoth(isHeld: (path: string) => boolean) {
  let held: (() => void) | undefined;
  let hasOther = false;
  return ({ path }: Seen, send: () => void): void => {
    if (isHeld(path) && !hasOther) held = send;
    else {
      hasOther ||= !isHeld(path);
      send();
      held?.();
      held = undefined;
    }
  };
}

const list = 'variant list -s shop --fields uid';
const both = ['GET /stacks', `GET /stacks/${shop}/application_variants`];

test.each([
  ['the list of stacks', (path: string) => path === '/stacks'],
  ['the read', (path: string) => path !== '/stacks'],
])('a name that was found before is verified beside the read, also when %s is slower', async (_, isHeld) => {
  const { state, play } = await serve();
  const shown = { code: 0, stdout: 'va-of-5f3c\n', stderr: 'warning: about 5f3c\n' };
  expect(await play(list)).toEqual({ ...shown, asked: both });
  state.hold = heldUntilBoth(isHeld);
  const { asked, ...again } = await play(list);
  expect(again).toEqual(shown);
  expect(asked.toSorted()).toEqual(both);
});

test.each(['tsv', 'json'])(
  'a name that means another stack by now: nothing of the first is shown (%s)',
  async (form) => {
    const { state, play } = await serve();
    await play(list);
    const first = state.shop;
    state.shop = other;
    // The old stack is still there, and its reply comes before the list.
    state.hold = (seen, send) => {
      if (seen.path !== '/stacks') return send();
      setImmediate(() => setImmediate(send));
    };
    const { asked, stdout, stderr, code } = await play(
      `${form === 'tsv' ? list : 'variant list -s shop --fields uid'} --output ${form}`,
    );
    expect([code, stdout.trim(), stderr]).toEqual([
      0,
      form === 'tsv' ? 'va-of-0a1b' : '[{"uid":"va-of-0a1b"}]',
      form === 'tsv' ? 'warning: about 0a1b\n' : '{"warning":"about 0a1b"}\n',
    ]);
    const read = (stack: string) => `GET /stacks/${stack}/application_variants`;
    expect(asked.toSorted()).toEqual([read(other), read(first), 'GET /stacks'].toSorted());
    expect((await play(list)).asked.toSorted()).toEqual([read(other), 'GET /stacks'].toSorted());
  },
);

test('a stack that is gone is the error that it always was, and its name is kept no longer', async () => {
  const { state, play } = await serve();
  const cold = { code: 3, stdout: '', stderr: expect.stringContaining('"shop"') };
  await play(list);
  state.name = 'shopping';
  const gone = await play(list);
  expect(gone).toMatchObject(cold);
  const { asked, ...again } = await play(list);
  expect([asked, again]).toEqual([['GET /stacks'], { code: gone.code, stdout: '', stderr: gone.stderr }]);
});

test.each(['variant delete va-of-5f3c -y -s shop', 'variant delete va-of-5f3c --dry-run -s shop', 'stack use shop'])(
  'verified first: %s',
  async (words) => {
    const { state, play } = await serve();
    await play(list);
    const held: (() => void)[] = [];
    state.hold = (seen, send) => {
      expect(held.length > 0 || seen.path.startsWith('/stacks')).toBe(true);
      held.push(send);
      send();
    };
    expect((await play(words)).asked[0]).toMatch(/^GET \/stacks(\/shop)?$/);
  },
);

test.each([
  ['another account', { STACKOPS_ACCOUNT: '7' }],
  ['another token', { STACKOPS_TOKEN: 'y' }],
])('for %s nothing is kept', async (_, env) => {
  const { play } = await serve();
  await play(list);
  expect((await play(list, env)).asked).toEqual(both);
});

test('signing out empties the file', async () => {
  const { play, file } = await serve();
  await play(list);
  expect(readFileSync(file, 'utf8')).toContain(shop);
  await play('auth logout');
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
});

test('with a refused token the name of the stack is not looked up for a hint', async () => {
  const { state, play } = await serve();
  await play('stack use shop');
  state.isRefusing = true;
  expect(await play('variant list')).toMatchObject({ code: 4, asked: [`GET /stacks/${shop}/application_variants`] });
});
