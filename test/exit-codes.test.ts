import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Answer, reply, startService } from './support/service.ts';
import { run } from './support/stackops.ts';

const stack = '5f3c0000000000000000000000000001';
const read = ['variant', 'list', '-s', stack, '--retries', '0'];
const write = ['variant', 'weight', 'va-1', '25', '-s', stack];

const answerWith =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    reply(response, body, status);
const hangUp: Answer = (_, response: ServerResponse) => response.destroy();
const refuse = (status: number) => answerWith(status, { error: 'x', details: 'the service says why' });

interface Case {
  readonly name: string;
  readonly words: readonly string[];
  readonly answer: Answer;
  readonly code: number;
  readonly stderr: string;
}

/** One line per way to end; the answer is what the service does, the rest is what the operator gets. */
const cases: readonly Case[] = [
  {
    name: 'a read that works',
    words: read,
    answer: answerWith(200, { response: [] }),
    code: 0,
    stderr: 'No variants.\n',
  },
  {
    name: 'a word that must be a number',
    words: ['variant', 'weight', 'va-1', '101', '-s', stack],
    answer: refuse(500),
    code: 2,
    stderr: 'error: <percent> is "101"; it must lie between 0 and 100\n',
  },
  {
    name: '404',
    words: read,
    answer: refuse(404),
    code: 3,
    stderr: 'error: not found: the service says why (404)\n',
  },
  {
    name: '401',
    words: read,
    answer: refuse(401),
    code: 4,
    stderr: 'error: the service refused the token: the service says why (401)\nhint: stackops auth login\n',
  },
  {
    name: '403 names the scope',
    words: read,
    answer: refuse(403),
    code: 5,
    stderr: 'error: forbidden: the service says why (403); this needs the scope redeploy\n',
  },
  { name: '400', words: write, answer: refuse(400), code: 6, stderr: 'error: refused: the service says why (400)\n' },
  { name: '422', words: write, answer: refuse(422), code: 6, stderr: 'error: refused: the service says why (422)\n' },
  {
    name: 'ok: false in a 200',
    words: write,
    answer: answerWith(200, { response: { ok: false, message: 'not a canary' } }),
    code: 6,
    stderr: 'error: refused: not a canary\n',
  },
  { name: '500 on a read', words: read, answer: refuse(500), code: 7, stderr: '' },
  { name: '500 on a write', words: write, answer: refuse(500), code: 11, stderr: '' },
  { name: 'no answer to a read', words: read, answer: hangUp, code: 7, stderr: '' },
  { name: 'no answer to a write', words: write, answer: hangUp, code: 11, stderr: '' },
  { name: 'a reply without proof', words: write, answer: answerWith(200, { response: {} }), code: 11, stderr: '' },
  {
    name: 'a page of HTML to a write',
    words: write,
    answer: (_, r) => r.end('<html><title>Login</title></html>'),
    code: 11,
    stderr: '',
  },
];

describe('exit codes against a real socket', () => {
  for (const { name, words, answer, code, stderr } of cases) {
    test(`${name} is ${code}`, async () => {
      const service = await startService(answer);
      const ran = await run(words, { env: { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'secret-token' } });
      await service.close();
      expect(ran).toEqual({ code, stdout: '', stderr });
      expect(service.seen.length).toBeLessThanOrEqual(1);
    });
  }
});
