import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { wordsOf } from '../support/examples.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, run } from '../support/stackops.ts';
import { wrongLines } from '../support/wrong-lines.ts';

const { commands } = await readTree();
/** An agent at a service, in a profile with this mode. */
async function agentWith(mode: string | undefined, more: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox();
  const env = { ...ownFolders(), ...sandbox.env, ...more };
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
  ['read', 'env set A=1 -s shop -n', 'only read', 'stack env set A=1 -s shop -n'],
  ['plan', 'env set A=1 -s shop', 'only plan', 'stack env set A=1 -s shop'],
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

test.each(['read', 'plan', 'safe'])('agents=%s: the default stack of a person stays, and -s is named', async (mode) => {
  const { play } = await agentWith(mode);
  const { stderr } = refused('not change settings, profiles or the sign-in', mode);
  const hint = 'hint: name the stack in each command: -s shop\n';
  expect(await play('stack use shop')).toEqual({ code: 5, stdout: '', stderr: stderr + hint });
});

test('the profile of the sandbox lets an agent practise everything', async () => {
  const env = { ...ownFolders(), AI_AGENT: 'test' };
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
  const env = ownFolders();
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

test('an older change is named without the flags that consented to it', async () => {
  const env = { ...ownFolders(), STACKOPS_SANDBOX: '1' };
  await run(wordsOf('stackops env unset CURRENCY -y -s shop'), { env });
  await run(wordsOf('stackops backup create --db-type postgresql -s shop'), { env });
  const { stderr } = await run(['history', 'undo'], { env: { ...env, AI_AGENT: 'test' } });
  expect(stderr).toContain('undoes an older change: stack env unset CURRENCY -s shop\n');
});

/** True for a text with a flag that consents, unless the line has it. */
function namesConsent(text: string, line = ''): boolean {
  const named = text.match(/(?<=^|[\s`"])(-y|--yes|--confirm|--reveal)\b/gm) ?? [];
  return named.some((flag) => !line.includes(` ${flag}`));
}

/** Commands that wait, serve, or run a program of the person. */
const isPlayed = (line: string) =>
  /^stackops /.test(line) && !/[|>"$]| (wait|sandbox (start|run)|backup download)\b|--(watch|servers)\b/.test(line);
/** Lines of each command, without consent and rehearsal. */
const lines = commands.flatMap((command) =>
  command.examples.filter(isPlayed).map((example) => {
    const line = example.replaceAll(/^stackops | (-y|-n|--dry-run|--curl|--wait|--confirm \S+|< \S+)(?= |$)/g, '');
    return { command, line };
  }),
);
const firsts = lines.filter(({ command }, at) => lines[at - 1]?.command !== command);
const guards = /^(profile (set|use|delete)|config (set|unset)|auth (login|logout)|stack use)$/;
const outside = /^(server (ssh|run|cp)|api)$/;

/** What the table of docs/agents.md says, by the declaration of the command. */
function isRefused(
  mode: string,
  { name, effects, changes_something, ...asks }: Command,
  isRehearsal: boolean,
): boolean {
  const isOutside = outside.test(name);
  // `env get` and `settings get` give a secret where the value is one.
  const givesSecret =
    effects.includes('prints_secret') && !/^(api|stack env get|(stack|server) settings get)$/.test(name);
  if (guards.test(name) || givesSecret) return true;
  if (!changes_something && !isOutside) return false;
  if (mode === 'read') return true;
  if (isRehearsal) return false;
  const isTyped = asks.confirmation === 'typed' && asks.confirmation_when === null;
  return mode === 'plan' || isOutside || isTyped;
}
type Command = (typeof commands)[number];

test('nearly every command is played', () => {
  const names = firsts.map(({ command }) => command.name);
  expect(commands.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([
    ...['deployment wait', 'backup download', 'action wait', 'sandbox start', 'sandbox run'],
  ]);
});

const cases = firsts.flatMap(({ command, line }) => {
  const [words = '', ...program] = line.split(/(?= -- )/);
  const rehearsed = `${words} -n${program.join('')}`;
  const isChange = command.changes_something || outside.test(command.name);
  return [
    { command, line, isRehearsal: false },
    ...(isChange ? [{ command, line: rehearsed, isRehearsal: true }] : []),
  ];
});

test.each(['read', 'plan', 'safe'])('agents=%s against each command of the tree', async (mode) => {
  const { play, changesSent } = await agentWith(mode);
  const wrong: string[] = [];
  for (const { command, line, isRehearsal } of cases) {
    const sent = changesSent();
    const { code, stderr } = await play(line);
    const isRight = (code === 5) === isRefused(mode, command, isRehearsal) && !namesConsent(stderr);
    if (!isRight || (code === 5 && changesSent() > sent)) wrong.push(`${line}: ${code} ${stderr}`);
  }
  expect(wrong).toEqual([]);
});

/** Mistakes in every example: another word, value or flag, a word too few or too many, and the flags that consent. */
const mistakes = lines.flatMap(({ line }) => [
  line.replace(/\w(?=( |$))/, ''),
  line.replace(/ \S+$/, ''),
  `${line} unexpected`,
  `${line} --reveel`,
  `${line} --confrim shop`,
  `${line} --sort value`,
  `${line} --confirm other`,
]);

test('no text for an agent names a flag that consents, over all examples and many wrong lines', async () => {
  expect(wrongLines.length).toBeGreaterThan(400);
  const { play } = await agentWith(undefined, { STACKOPS_STACK: 'shop' });
  const wrong: string[] = [];
  for (const line of [...lines.map((one) => one.line), ...mistakes, ...wrongLines.map(({ typed }) => typed)]) {
    const { code, stderr } = await play(line);
    const [, hint] = /^hint: stackops (.*)$/m.exec(stderr) ?? [];
    if (namesConsent(stderr, line) || (code === 2 && hint === line)) wrong.push(`${line}: ${stderr}`);
  }
  expect(wrong).toEqual([]);
});
