import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { topicsOf } from '../../src/cli/help/topics/topics.ts';
import { ownEnvironment, runShell, start } from '../support/built.ts';
import {
  exampleFolder,
  exceptions,
  inFolder,
  preparations,
  stdinOfPreparations,
  wordsOf,
} from '../support/examples.ts';
import { hasProgram } from '../support/programs.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, type Ran, run, temporaryFolder } from '../support/stackops.ts';

/**
 * Every example of help, man pages and topics is executed, each against a sandbox of its own: in this process where it
 * is words alone, in a folder that holds the files it names, and by bash and the built program where it needs a shell, a
 * program or a person.
 */
const { commands } = await readTree();
const ofTopics = Object.values(topicsOf(commands)).flatMap(({ blocks }) =>
  blocks.flatMap((block) => (typeof block === 'object' && 'examples' in block ? block.examples : [])),
);
const examples = [...new Set([...commands.flatMap(({ examples: lines }) => lines), ...ofTopics])];
const isMeant = (pattern: RegExp) => examples.some((example) => pattern.test(example));

/** Sign-ins, profiles and copies are affairs of a real address. */
const atService = (example: string) => /stackops (auth|profile|sandbox (clone|verify))\b|--clone /.test(example);
/** Whatever needs a shell, or another program. */
const inShell = (example: string) => /[|<>"$]|^(?!stackops )|\.sh\b|(sandbox|env) run|download/.test(example);
const namesFile = (example: string) => /\.(pem|txt|json|env)\b|^stackops (pull|plan|drift|apply)\b/.test(example);
const waits = (example: string) => /^stackops (auth login(?!.*--token)|sandbox start)/.test(example);
const usesMissing = (example: string) => /\| jq /.test(example) && !hasProgram('jq');

test.for(examples.filter((example) => !waits(example)))('%s', async (example, { skip }) => {
  skip(usesMissing(example), 'there is no jq here');
  const env = await environmentFor(example);
  for (const [pattern, lines] of preparations) if (pattern.test(example)) await prepare(lines, env);
  const playAlone = namesFile(example) ? playInFolder : playHere;
  const play = inShell(example) ? playInShell : playAlone;
  const { code, stderr } = await play(example, env);
  const [, expected = 0] = exceptions.find(([pattern]) => pattern.test(example)) ?? [];
  expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' });
});

/** The first example of each that is words alone. */
const played = commands.flatMap(({ name, shows, options, examples: lines }) => {
  const example = lines.find(
    (line) => !waits(line) && !inShell(line) && !namesFile(line) && !exceptions.some(([pattern]) => pattern.test(line)),
  );
  return shows === null || example === undefined ? [] : [{ name, shows, options, example }];
});

test.each(played)('$name: -q and --reveal do what its page says', async (one) => {
  const env = await environmentFor(one.example);
  for (const [pattern, lines] of preparations) if (pattern.test(one.example)) await prepare(lines, env);
  const { code, stdout } = await playHere(`${one.example} -q`, env);
  expect(code).toBe(0);
  const isBare = stdout.split('\n').every((line) => !line.includes('\t'));
  // An empty list has no identifiers.
  expect({ ...one, isBare, isEmpty: stdout === '' }).toMatchObject(
    { rows: { isBare: true }, object: { isEmpty: false }, value: { isEmpty: false }, change: { isEmpty: true } }[
      one.shows
    ],
  );
  if (one.options.includes('--reveal')) return;
  expect((await run(wordsOf(one.example), { env, terminal: 300 })).stdout).not.toContain('••');
});

test('secrets are shown by --reveal where cells are masked', () => {
  const revealing = commands.filter(({ options }) => options.includes('--reveal')).map(({ name }) => name);
  expect(revealing).toEqual([
    'stack list',
    'stack get',
    'stack env list',
    'stack env diff',
    'stack env history',
    'stack settings list',
    'stack settings set',
    'server settings list',
    'server settings set',
    'plan',
    'drift',
    'diff',
    'db user list',
    'db user create',
    'db user regenerate-password',
    'db user delete',
    'gateway list',
    'gateway create',
    'gateway delete',
    'user get',
    'account list',
    'account get',
  ]);
});

test('no preparation and no exception is left over', () => {
  const patterns = [...preparations, ...exceptions].map(([pattern]) => pattern);
  expect(patterns.filter((pattern) => !isMeant(pattern))).toEqual([]);
});

test.each(examples.filter((one) => one.startsWith('stackops sandbox start')))('%s', async (example) => {
  const env = await environmentFor(example);
  const serving = start(
    wordsOf(example).map((word) => (word === '8300' ? '0' : word)),
    { env },
  );
  await serving.tells(/serving http:.* until Ctrl-C/);
  serving.kill('SIGINT');
  expect((await serving.ended).signal).toBe('SIGINT');
});

test.each(examples.filter((one) => waits(one) && one.startsWith('stackops auth login')))('%s', async (example) => {
  const env = { ...(await environmentFor(example)), PATH: exampleFolder(), STACKOPS_TOKEN: '' };
  expect((await run(['config', 'set', 'callback_port=0'], { env })).code).toBe(0);
  const login = start(wordsOf(example), { env });
  const [, address = ''] = await login.tells(/^(http:\S+)\n/m);
  await accept(address);
  expect(await login.ended).toMatchObject({ code: 0 });
});

/** What the page of the sandbox sends when Accept is clicked. */
async function accept(address: string): Promise<void> {
  const page = await (await fetch(address)).text();
  const [, request = ''] = /name="request" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ request, decision: 'accept' });
  const answer = await fetch(new URL('/oauth/authorize', address), { method: 'POST', body });
  expect(await answer.text()).toContain('You are signed in.');
}

async function environmentFor(example: string): Promise<Readonly<Record<string, string>>> {
  const folders = { HOME: temporaryFolder(), ...ownFolders() };
  const own = { ...folders, SHELL: '/bin/bash', NO_COLOR: '1', EDITOR: 'true' };
  if (!atService(example)) return { ...own, STACKOPS_SANDBOX: '1' };
  const sandbox = await startSandbox();
  return {
    ...own,
    STACKOPS_BASE_URL: sandbox.url.href,
    STACKOPS_AUTH_URL: sandbox.url.origin,
    STACKOPS_TOKEN: sandbox.token,
    STACKOPS_CLIENT_ID: 'sandbox-client',
    STACKOPS_CLIENT_SECRET: 'sandbox-secret',
  };
}

async function prepare(lines: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  for (const line of lines)
    expect(await run(wordsOf(line), { env, stdin: stdinOfPreparations }), line).toMatchObject({ code: 0 });
}

/** In a folder that holds the files examples name. */
function playInShell(example: string, env: Readonly<Record<string, string>>) {
  const folder = exampleFolder();
  const told = { FOLDER: folder, SECRET: 'made-up', TOKEN: 'sandbox_all' };
  return runShell(`set -eu; cd "$FOLDER"; ${example}`, {
    ...ownEnvironment(env),
    PATH: `${folder}:${process.env['PATH']}`,
    ...told,
  });
}

function playInFolder(example: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return inFolder(exampleFolder(), () => playHere(example, env));
}

/** What asks is answered at a terminal, as the hint says. */
async function playHere(example: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const ran = await run(wordsOf(example), { env });
  const [, isTyped, name = ''] = /^hint: stackops .* (?:-y|(--confirm) ('[^']*'|\S+))/m.exec(ran.stderr) ?? [];
  if (ran.code !== 2 || !ran.stderr.includes('hint: stackops')) return ran;
  const answer = isTyped ? name.replaceAll("'", '') : 'y';
  return run(wordsOf(example), { env, terminal: 100, typed: [answer] });
}
