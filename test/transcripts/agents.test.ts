import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { wordsOf } from '../support/examples.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const { commands } = await readTree();
/** An agent at a service, in a profile with this mode. */
async function agentWith(mode: string | undefined) {
  const sandbox = await startSandbox();
  const env = {
    STACKOPS_CONFIG_DIR: temporaryFolder(),
    XDG_STATE_HOME: temporaryFolder(),
    STACKOPS_BASE_URL: sandbox.url.href,
    STACKOPS_TOKEN: sandbox.token,
  };
  if (mode) await run(['profile', 'set', `agents=${mode}`, '--confirm', 'default'], { env });
  return {
    changesSent: () => sandbox.requests.filter(({ method }) => method !== 'GET').length,
    play: (line: string) => run(wordsOf(`stackops ${line}`), { env: { ...env, AI_AGENT: 'test' } }),
  };
}

const refused = (what: string, mode: string, hint?: string) => ({
  code: 5,
  stdout: '',
  stderr: `error: agents may ${what} in profile default (agents=${mode})\n${hint ? `hint: stackops ${hint}\n` : ''}`,
});
const noSecrets = 'not read secrets';
const onlyTyped = 'not make changes that are confirmed by a typed name';

test.each([
  ['read', 'stack list', 0],
  ['read', 'env get LOG_LEVEL -s shop', 0],
  ['plan', 'env set A=1 -s shop -n', 0],
  ['plan', 'env set A=1 -s shop --curl', 0],
  ['plan', 'gateway delete bastion-1 -n', 0],
  [undefined, 'env set LOG_LEVEL=warn -s shop', 0],
  [undefined, 'gateway delete bastion-1 -n', 0],
  [undefined, 'api /stacks', 5],
  [undefined, 'api /stacks -n', 0],
  ['write', 'env get SMTP_PASSWORD -s shop', 0],
  ['write', 'api /stacks', 0],
] as const)('agents=%s: %s ends with %i', async (mode, line, code) => {
  const { play } = await agentWith(mode);
  expect(await play(line)).toMatchObject({ code });
});

test.each([
  ['read', 'env set A=1 -s shop -n', 'only read', 'stack env set A -s shop -n --stdin'],
  ['plan', 'env set A=1 -s shop', 'only plan', 'stack env set A -s shop --stdin'],
  ['safe', 'gateway delete bastion-1 --confirm bastion-1', onlyTyped, 'gateway delete bastion-1'],
  ['safe', 'tags clear server/shop-web-1 -s shop', onlyTyped, 'tags clear server/shop-web-1 -s shop'],
  ['safe', 'env list -s shop --reveal', noSecrets, 'stack env list -s shop'],
  ['safe', 'env get SMTP_PASSWORD -s shop', noSecrets, 'stack env get SMTP_PASSWORD -s shop'],
  ['safe', 'env get SMTP_PASSWORD -s shop --json', noSecrets, 'stack env get SMTP_PASSWORD -s shop --json'],
  ['read', 'env export -s shop', noSecrets, 'stack env export -s shop'],
  ['plan', 'auth token', noSecrets, 'auth token'],
  ['safe', 'account otp', noSecrets, 'account otp'],
  ['safe', 'profile set agents=write', 'not change settings, profiles or the sign-in', 'profile set agents=write'],
  ['safe', 'auth logout', 'not change settings, profiles or the sign-in', 'auth logout'],
] as const)('agents=%s: %s is refused, and a person is shown the line', async (mode, line, what, hint) => {
  const { play, changesSent } = await agentWith(mode);
  const { code, stdout, stderr } = await play(line);
  const expected = refused(what, mode, hint);
  expect([code, stdout, line.includes('--json') ? JSON.parse(stderr).error.hint : stderr]).toEqual([
    5,
    '',
    line.includes('--json') ? `stackops ${hint}` : expected.stderr,
  ]);
  expect(changesSent()).toBe(0);
});

test('the profile of the sandbox lets an agent practise everything', async () => {
  const env = { STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder(), AI_AGENT: 'test' };
  expect(await run(['--sandbox', 'env', 'get', 'SMTP_PASSWORD', '-s', 'shop'], { env })).toMatchObject({ code: 0 });
});

test('what asks is a matter of a person, and the hint only plans', async () => {
  const { play } = await agentWith(undefined);
  expect(await play('redeploy -s shop')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: "redeploy" must be confirmed by a person (AI_AGENT is set); nothing was changed\n' +
      'hint: stackops redeploy -s shop -n\n',
  });
});

test.each(['protected=true', 'readonly=true', 'agents=read'])('a person types the name to lift %s', async (guard) => {
  const env = { STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder() };
  const [name] = guard.split('=');
  expect(await run(['profile', 'set', guard], { env })).toMatchObject({ code: 0 });
  expect(await run(['profile', 'set', guard], { env })).toMatchObject({ code: 0 });
  expect(await run(['profile', 'set', `${name}=`, '-y'], { env })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: "profile set" needs --confirm default (no terminal); nothing was changed\n' +
      `hint: stackops profile set ${name}= -y --confirm default\n`,
  });
  expect(await run(['profile', 'delete', 'default'], { env })).toMatchObject({ code: 2 });
  expect(await run(['profile', 'set', `${name}=`, '--confirm', 'default'], { env })).toMatchObject({ code: 0 });
});

test('no text for an agent names a flag that consents, over all examples', async () => {
  const consent = /(^|\s)(-y|--yes|--confirm|--reveal)\b/;
  const wrong: string[] = [];
  for (const mode of ['read', 'plan', 'safe']) {
    const { play } = await agentWith(mode);
    for (const example of commands.flatMap(({ examples }) => examples)) {
      if (
        !/^stackops /.test(example) ||
        /[|<>"$]|sandbox|download|watch|ssh|open|edit|env run|login|ramp|wait/.test(example)
      )
        continue;
      const { stderr } = await play(example.replace(/^stackops /, ''));
      if (consent.test(stderr)) wrong.push(`${mode}: ${example}: ${stderr}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('each mode against each command of the tree', async () => {
  const changes = commands.filter(({ changes_something }) => changes_something);
  for (const mode of ['read', 'plan'] as const) {
    const { play, changesSent } = await agentWith(mode);
    for (const { examples } of changes) {
      const example =
        examples.find((line) => /^stackops /.test(line) && !/[|<>"$]|sandbox|-n\b|--dry-run|--curl/.test(line)) ?? '';
      if (example)
        expect([mode, example, (await play(example.replace(/^stackops /, ''))).code]).toEqual([mode, example, 5]);
    }
    expect(changesSent()).toBe(0);
  }
});
