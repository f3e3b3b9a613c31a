import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, runBuilt, start } from '../../support/built.ts';
import { startSandbox } from '../../support/sandbox.ts';
import { reply, startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/stackops.ts';
import { stack } from './journal-file.ts';

test('a program that is killed while it waits for an answer leaves a trace', async () => {
  let arrive = () => {};
  const asked = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await startService(({ method }, response) => {
    if (method !== 'GET') return arrive();
    reply(response, { response: [], count: 0, pagination: { next: null, current: 1, pages: 1 } });
  });
  const env = ownEnvironment({ STACKOPS_BASE_URL: service.url });
  const program = start(['stack', 'env', 'set', 'K=v', '-s', stack], { env });
  await asked;
  program.kill('SIGKILL');
  expect((await program.ended).signal).toBe('SIGKILL');
  const { stdout } = await runBuilt(['history', '--open', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { command: `stack env set K=<value> -s ${stack}`, outcome: 'unanswered', method: 'POST' },
  ]);
});

test('of programs that write at the same time no line is lost or torn', async () => {
  const sandbox = await startSandbox();
  const state = temporaryFolder();
  const env = ownEnvironment({
    ...sandbox.env,
    XDG_STATE_HOME: state,
  });
  const keys = Array.from({ length: 12 }, (_, index) => `K${index}`);
  const set = (key: string) => runBuilt(['stack', 'env', 'set', `${key}=v`, '-s', 'shop'], { env });
  const ended = await Promise.all(keys.map(set));
  expect(ended.map(({ code }) => code)).toEqual(keys.map(() => 0));
  const lines = readFileSync(join(state, 'stackops/journal.jsonl'), 'utf8').trimEnd().split('\n');
  const events = lines.map((line): { readonly event: string } => JSON.parse(line)).map(({ event }) => event);
  const count = (wanted: string) => events.filter((event) => event === wanted).length;
  expect([count('sent'), count('answered'), count('undoable')]).toEqual([12, 12, 12]);
});
