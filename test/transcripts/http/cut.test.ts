import { expect, test } from 'vitest';
import { clientOf, problemOf, things } from './clients.ts';
import { serveRaw, wireAnswer } from './servers.ts';

const whole = wireAnswer('{"response":{"id":7,"name":"a"}}');
let cutAt = 0;

async function setUp() {
  const server = await serveRaw((socket) => socket.end(whole.slice(0, cutAt)));
  return { server, client: await clientOf(server.url, { api: { maxRetries: 1 } }) };
}

test('a write whose answer is cut after any byte is seen once, its outcome is unknown', async () => {
  const { server, client } = await setUp();
  for (cutAt = 0; cutAt < whole.length; cutAt += 1) {
    const before = server.seen.length;
    const { kind } = await problemOf(client.api.call(things.create, { name: 'a' }));
    expect({ cutAt, kind, seen: server.seen.length - before }).toEqual({ cutAt, kind: 'outcome_unknown', seen: 1 });
  }
});

test('a read whose answer is cut after any byte never yields a value', async () => {
  const { server, client } = await setUp();
  for (cutAt = 0; cutAt < whole.length; cutAt += 1) {
    const before = server.seen.length;
    const { kind } = await problemOf(client.api.call(things.get, { id: 7 }));
    expect({ cutAt, kind, seen: server.seen.length - before }).toEqual({ cutAt, kind: 'unavailable', seen: 2 });
  }
});

test('the whole answer is a value', async () => {
  const { client } = await setUp();
  cutAt = whole.length;
  expect(await client.api.call(things.create, { name: 'a' })).toEqual({ id: 7, name: 'a' });
});
