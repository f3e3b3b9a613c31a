import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { ownEnvironment, runBuilt } from '../support/built.ts';
import { temporaryFolder } from '../support/stackops.ts';

test('of programs that write at the same time no line is lost or torn', { timeout: 60_000 }, async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const state = temporaryFolder();
  const env = ownEnvironment({
    STACKOPS_BASE_URL: sandbox.url.href,
    STACKOPS_TOKEN: sandbox.token,
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
