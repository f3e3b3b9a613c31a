import { expect, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';

const stack = ['-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
const variants = `/stacks/${stack[1]}/application_variants`;

interface Case {
  readonly words: readonly string[];
  /** What the person types, who was asked before. */
  readonly answer: string;
  /** What somebody else does while the question is open, one command after the other. */
  readonly others: readonly (readonly string[])[];
  /** What the error says has changed. */
  readonly name: string;
}

const cases: Readonly<Record<string, Case>> = {
  'another gateway takes over the name': {
    words: ['gateway', 'delete', 'bastion-1'],
    answer: 'bastion-1',
    others: [
      ['gateway', 'update', '5', '--name', 'bastion-old'],
      ['gateway', 'create', '--name', 'bastion-1', '--address', '203.0.113.7'],
    ],
    name: 'gateway bastion-1',
  },
  'the gateway gets another address': {
    words: ['gateway', 'delete', 'bastion-1'],
    answer: 'bastion-1',
    others: [['gateway', 'update', 'bastion-1', '--address', '203.0.113.99']],
    name: 'gateway bastion-1',
  },
  'the canary gets another share': {
    words: ['variant', 'weight', 'va-canary', '100', ...stack],
    answer: 'y',
    others: [['variant', 'weight', 'va-canary', '50', ...stack]],
    name: 'variant va-canary',
  },
  'the entity gets another tag': {
    words: ['tags', 'clear', 'loadbalancer/3301'],
    answer: 'loadbalancer/3301',
    others: [['tags', 'patch', 'loadbalancer/3301', '--add', 'new']],
    name: 'loadbalancer/3301',
  },
  'somebody does the same': {
    words: ['variant', 'weight', 'va-canary', '100', ...stack],
    answer: 'y',
    others: [['variant', 'weight', 'va-canary', '100', ...stack, '-y']],
    name: 'variant va-canary',
  },
  'somebody else deploys': {
    words: ['redeploy', ...stack],
    answer: 'y',
    others: [['redeploy', ...stack, '-y']],
    name: 'the deployments',
  },
  'somebody else deploys before a rollback': {
    words: ['deployment', 'rollback', ...stack],
    answer: 'y',
    others: [['redeploy', ...stack, '-y']],
    name: 'the deployments',
  },
  'the variable gets another value': {
    words: ['stack', 'env', 'unset', 'LOG_LEVEL', 'CURRENCY', ...stack],
    answer: 'y',
    others: [['stack', 'env', 'set', 'LOG_LEVEL=trace', ...stack]],
    name: 'LOG_LEVEL, CURRENCY',
  },
};

/** A served sandbox, how to reach it, and how many changes it has seen. */
async function served() {
  const sandbox = await startSandbox();
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: 'sandbox_all', STACKOPS_ACCOUNT: '42' };
  const requests = () => sandbox.requests.map(({ method, path }) => `${method} ${path}`);
  return { env, requests, changes: () => requests().filter((request) => !request.startsWith('GET ')).length };
}

test.each(Object.entries(cases))('%s: nothing is sent', async (_, { words, answer, others, name }) => {
  const { env, changes } = await served();
  let before = 0;
  const asked = async () => {
    for (const other of others) expect(await run(other, { env })).toMatchObject({ code: 0 });
    before = changes();
  };
  const { code, stdout, stderr } = await run(words, { env, terminal: 200, typed: [answer], asked });
  expect({ code, stdout, sent: changes() - before }).toEqual({ code: 6, stdout: '', sent: 0 });
  const again = `hint: stackops ${words.join(' ')}\n`;
  expect(stderr).toContain(`${name} changed while the question was open${unsent}\n${again}`);
});

test('of two deployments to cancel one ends: the other is cancelled', async () => {
  const { env } = await served();
  for (const _ of ['1042', '1043']) expect(await run(['redeploy', ...stack, '-y'], { env })).toMatchObject({ code: 0 });
  const asked = async () =>
    expect(await run(['deployment', 'cancel', '1042', ...stack, '-y'], { env })).toMatchObject({ code: 0 });
  const ran = await run(['deployment', 'cancel', '1042', '1043', ...stack], {
    env,
    terminal: 200,
    typed: ['y'],
    asked,
  });
  expect(ran).toMatchObject({
    code: 0,
    stdout: 'deployment 1042 unchanged (cancelled)\ndeployment 1043 cancelled (pending -> cancelled)\n',
  });
});

test('both deployments to cancel end: nothing is sent', async () => {
  const { env, changes } = await served();
  for (const _ of ['1042', '1043']) expect(await run(['redeploy', ...stack, '-y'], { env })).toMatchObject({ code: 0 });
  const both = ['deployment', 'cancel', '1042', '1043', ...stack];
  let before = 0;
  const asked = async () => {
    expect(await run([...both, '-y'], { env })).toMatchObject({ code: 0 });
    before = changes();
  };
  const { code, stderr } = await run(both, { env, terminal: 200, typed: ['y'], asked });
  expect({ code, sent: changes() - before }).toEqual({ code: 6, sent: 0 });
  expect(stderr).toContain('deployment 1042 has already finished (cancelled), deployment 1043 has already finished');
});

test.each([
  [
    ['gateway', 'delete', 'bastion-1', '--confirm', 'bastion-1'],
    ['GET /accounts/42/gateways', 'DELETE /accounts/42/gateways/5'],
  ],
  [
    ['variant', 'delete', 'va-preview', ...stack, '-y'],
    ['GET', 'DELETE'].map((method, at) => `${method} ${variants}${at ? '/va-preview' : ''}`),
  ],
  [['redeploy', ...stack, '-y'], ['GET', 'POST'].map((method) => `${method} /stacks/${stack[1]}/deployments`)],
  [
    ['stack', 'env', 'unset', 'TIME_ZONE', ...stack, '-y'],
    // The one list has two pages.
    ['GET ', 'GET ', 'DELETE /TIME_ZONE'].map((request) => request.replace(' ', ` /stacks/${stack[1]}/environments`)),
  ],
])('%s: whoever consents beforehand needs one find and one write', async (words, expected) => {
  const { env, requests, changes } = await served();
  expect(await run(words, { env })).toMatchObject({ code: 0 });
  // What is read afterwards shows what came of it.
  expect(requests().slice(0, expected.length)).toEqual(expected);
  expect(changes()).toBe(1);
});
