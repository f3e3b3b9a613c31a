import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { type Answer, reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

const stack = '5f3c0000000000000000000000000001';
const read = ['variant', 'list', '-s', stack];
const write = ['backup', 'create', '-s', stack];

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

const why = 'the service says why';
const ownToken = 'STACKOPS_TOKEN overrides the saved token: set another token, or unset it';
const check = `hint: stackops backup list -s ${stack}\n`;
const cut = 'HOST closed the connection before the response was complete (UND_ERR_SOCKET)';
const maybe = 'error: outcome unknown; the change may have been applied:';
const html: Answer = (_, response) => response.end('<html><title>Sign in</title></html>');

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
    name: 'a number out of its range',
    words: ['variant', 'weight', 'va-1', '101', '-s', stack],
    answer: refuse(500),
    code: 2,
    stderr: 'error: <percent> must be between 0 and 100, not "101"\n',
  },
  {
    name: '404',
    words: read,
    answer: refuse(404),
    code: 3,
    stderr: `error: stack ${stack} not found: ${why}\nhint: stackops stack list\n`,
  },
  {
    name: '401',
    words: read,
    answer: refuse(401),
    code: 4,
    stderr: `error: the service rejected the token (401): ${why}\nhint: ${ownToken}\n`,
  },
  {
    name: '403',
    words: read,
    answer: refuse(403),
    code: 5,
    stderr: `error: access denied (403): the command needs the redeploy scope: ${why}\nhint: ${ownToken}\n`,
  },
  {
    name: '400',
    words: write,
    answer: refuse(400),
    code: 6,
    stderr: `error: the service refused the request (400): ${why}\n`,
  },
  {
    name: '409',
    words: write,
    answer: refuse(409),
    code: 6,
    stderr: `error: the service refused the request (409): ${why}\n`,
  },
  {
    name: '422',
    words: write,
    answer: refuse(422),
    code: 6,
    stderr: `error: the service refused the request (422): ${why}\n`,
  },
  {
    name: 'ok: false in a 200',
    words: write,
    answer: answerWith(200, { response: { ok: false, message: 'not a canary' } }),
    code: 6,
    stderr: 'error: the service refused the request: not a canary\n',
  },
  {
    name: '500 to a read',
    words: read,
    answer: refuse(500),
    code: 7,
    stderr: `error: the service failed (500): ${why}\n`,
  },
  {
    name: '500 to a write',
    words: write,
    answer: refuse(500),
    code: 11,
    stderr: `${maybe} the service failed (500): ${why}\n${check}`,
  },
  { name: 'no answer to a read', words: read, answer: hangUp, code: 7, stderr: `error: ${cut}\n` },
  { name: 'no answer to a write', words: write, answer: hangUp, code: 11, stderr: `${maybe} ${cut}\n${check}` },
  {
    name: 'a reply to a write that proves nothing',
    words: write,
    answer: answerWith(200, { response: {} }),
    code: 11,
    stderr: `${maybe} the response has no "ok"\n${check}`,
  },
  {
    name: 'a page of HTML to a write',
    words: write,
    answer: html,
    code: 11,
    stderr: `${maybe} the response is an HTML page titled "Sign in" (200)\n${check}`,
  },
];

describe('exit codes against a real socket', () => {
  for (const { name, words, answer, code, stderr } of cases) {
    test(`${name} is ${code}`, async () => {
      const service = await startService(answer);
      const ran = await run(words, { env: { ...service.env, STACKOPS_RETRIES: '0' } });
      const { host } = new URL(service.url);
      expect({ ...ran, stderr: ran.stderr.replaceAll(host, 'HOST') }).toEqual({ code, stdout: '', stderr });
      expect(service.seen).toHaveLength(code === 2 ? 0 : 1);
    });
  }

  test('nobody at the address is 7, and nothing was sent', async () => {
    const service = await startService(hangUp);
    await service.close();
    const env = { ...service.env, STACKOPS_RETRIES: '0' };
    const { host } = new URL(service.url);
    expect(await run(write, { env })).toEqual({
      code: 7,
      stdout: '',
      stderr: `error: cannot connect to ${host} (ECONNREFUSED)${unsent}\nhint: stackops doctor\n`,
    });
  });
});
