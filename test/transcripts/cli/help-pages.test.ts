import { expect, test } from 'vitest';
import { readHelpPages, readTree } from '../../../scripts/docs/tree.ts';
import { globalOptions, helpAndVersion } from '../../../src/cli/arguments/options.ts';
import { topicNames } from '../../../src/cli/help/topics/topic.ts';
import { settingTable } from '../../../src/settings/table.ts';
import { run } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

const tree = await readTree();
const groups = [...new Set(tree.commands.flatMap(({ name }) => prefixes(name.split(' '))))];
const pages = [...groups, ...tree.commands.map(({ name }) => name), ...Object.keys(topicNames)];

function prefixes(words: readonly string[]): readonly string[] {
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(' '));
}

const help = (words: string) => run(['help', ...words.split(' ')]);

test('every page has at most 100 columns, and help and --help show the same', async () => {
  const wide: string[] = [];
  for (const words of ['', ...pages]) {
    const { code, stdout, stderr } = words === '' ? await run(['--help']) : await help(words);
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    wide.push(...stdout.split('\n').filter((line) => line.length > 100));
    if (words in topicNames || words === '') continue;
    expect((await run([...words.split(' '), '--help'])).stdout).toBe(stdout);
    expect((await run([...words.split(' '), '-h'])).stdout).toBe(stdout);
  }
  expect(wide).toEqual([]);
});

test('every page of a command has its sections in order, its own flags before those it shares', async () => {
  const order = [
    'Usage',
    'Commands',
    'Arguments',
    'Flags',
    'Also',
    'Examples',
    'Output',
    'Changes',
    'Global',
    'Fields',
    'Columns',
    'Notes',
    'Values',
    'Exit codes',
  ];
  for (const { name: words } of tree.commands) {
    const { stdout } = words in topicNames ? await run([words, '--help']) : await help(words);
    const titles = [...stdout.matchAll(/^([A-Z][a-z ]+):(?:$| +\S)/gm)].map(([, title = '']) => title);
    expect(titles, words).toEqual(order.filter((title) => titles.includes(title)));
    for (const wanted of ['Usage', 'Examples', 'Global']) expect(titles, words).toContain(wanted);
  }
});

test('the first screen stands on 80 columns and 23 lines, and names every noun, every topic and flags that exist', async () => {
  const { stdout } = await run(['--help']);
  expect(await run([])).toEqual({ code: 0, stdout, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const topLevel = tree.commands.map(({ name }) => name.split(' ', 1)[0] ?? '');
  for (const name of ['env', ...topLevel, ...Object.keys(topicNames)])
    expect(stdout).toMatch(new RegExp(`[ :]${name}\\s`));
  const known = [...globalOptions, ...helpAndVersion].flatMap(({ spellings }) => spellings);
  const shown = [...stdout.matchAll(/(?<= )--?[a-z][a-z-]*/g)].map(([flag]) => flag);
  expect(shown.length).toBeGreaterThan(14);
  expect(shown.filter((flag) => !known.includes(flag))).toEqual([]);
});

test('no page is wider than 80 columns, but for examples', async () => {
  const lines = [...(await readHelpPages())].flatMap(([, page]) => page.split('\n'));
  expect(lines.filter((line) => line.length > 80 && !line.startsWith('  stackops '))).toEqual([]);
});

test('every page has at most 40 lines, and that of a read 36', async () => {
  const writes = new Set(tree.commands.flatMap(({ name, changes_something: writes }) => (writes ? [name] : [])));
  const long: string[] = [];
  for (const [words, page] of await readHelpPages()) {
    const [lines, most] = [page.trimEnd().split('\n').length, writes.has(words) ? 40 : 36];
    if (lines > most) long.push(`${words}: ${lines} lines, at most ${most}`);
  }
  expect(long, howToShorten).toEqual([]);
});

const howToShorten = `Programs that read help stop after 40 lines. Make room where the page says something twice or at length:
the text of a flag that wraps into one line, background of a noun into docs/, one example fewer, rare flags into one.
What all pages share is laid out in src/cli/help/help.ts; do not shorten it for one command.`;

test('help agents has at most 60 lines, and all that keeps an agent from harm', async () => {
  const { stdout } = await help('agents');
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  for (const [line] of stdout.matchAll(/^ {2}(?:8|9|11) .*$/gm)) expect(line.length).toBeLessThanOrEqual(80);
  const told = [...stdout.matchAll(/^ {2}(?:8|9|11) {2,}\S.*\.$/gm)];
  expect(told).toHaveLength(3);
  for (const words of [
    '--json',
    '  -n ',
    '--confirm',
    '-y',
    '-p',
    '--limit',
    '--fields',
    '--stdin',
    'sandbox run -- CMD',
  ])
    expect(stdout).toContain(words);
  for (const words of ['STACKOPS_READ_ONLY=1', 'commands --json WORDS', 'commands --json --brief'])
    expect(stdout).toContain(`\n  ${words} `);
});

test('every output flag of a command is on its page, in help output or in help options', async () => {
  const topics = (await help('output')).stdout + (await help('options')).stdout;
  for (const { name, options } of tree.commands) {
    const page = (await run([...name.split(' '), '--help'])).stdout;
    expect(options.filter((flag) => !page.includes(` ${flag}`) && !topics.includes(`${flag} `))).toEqual([]);
  }
});

test('the words of codes stand on the page of a read', async () => {
  expect((await help('server list')).stdout).toContain(
    '\nValues:\n  health_state  0=unknown, 1=building, 2=impaired, 3=healthy, 4=failed\n',
  );
  expect((await help('deployment get')).stdout).toContain(
    '\n  outcome.meaning        pending, success, failed, cancelled\n',
  );
  expect((await help('server reboot')).stdout).not.toContain('\nValues:\n');
});

test('a flag leaves room for what it means, and its value is not called as it is', () => {
  const flags = tree.commands.flatMap((one) => one.flags.map((flag) => flag.flags));
  expect(flags.filter((shown) => shown.length > 32)).toEqual([]);
  expect(flags.filter((shown) => /--(\w+-[\w-]+|add|before|delete|fail|latency|services) <\1>/.test(shown))).toEqual(
    [],
  );
  expect(flags).toEqual(
    expect.arrayContaining(['--deployment-profile <name>', '--to <folder>', '--type <ios|android>']),
  );
});

test('several stacks in -s stand where several stacks are taken, patterns where they are read, and nowhere else', async () => {
  for (const { name: words, several_stacks: several, changes_something: changes } of tree.commands) {
    const stdout = (await run([...words.split(' '), '--help'])).stdout.replace(/\s+/g, ' ');
    expect([words, stdout.includes('several: a,b, @FILE or -.')]).toEqual([words, several && changes]);
    expect([words, stdout.includes("several: a,b, 'web-*', @FILE or -.")]).toEqual([words, several && !changes]);
  }
  expect(tree.commands.filter((command) => command.several_stacks).length).toBeGreaterThan(10);
});

test('topics leave out nothing', async () => {
  const [environment, output] = [(await help('environment')).stdout, (await help('output')).stdout];
  const variables = Object.values(settingTable).flatMap(({ variable }) => variable ?? []);
  expect(variables.filter((name) => !environment.includes(`  ${name} `))).toEqual([]);
  const shaping = globalOptions.filter(({ group }) => ['output', 'secret', 'list'].includes(group));
  expect(shaping.filter(({ spellings }) => !spellings.some((flag) => output.includes(flag)))).toEqual([]);
  const files = (await help('files')).stdout;
  for (const file of ['config.json', 'credentials.json', 'journal.jsonl', 'sandbox.json', 'ramp/'])
    expect(files).toContain(file);
  const auth = (await help('auth')).stdout;
  for (const scope of ['public', 'redeploy', 'users', 'admin']) expect(auth).toMatch(new RegExp(`^ +${scope} `, 'm'));
});

test('a mistyped word asks for no page, and gets none', transcriptFile);

test('help options explains every shared flag, and those that are answered at once', async () => {
  const { stdout } = await help('options');
  const missing = globalOptions.filter(({ flags }) => !stdout.includes(`\n  ${flags} `));
  expect(missing).toEqual([]);
  expect(stdout).toMatch(/^ {2}-h, --help +Show help\.\n {2}-V, --version +Show the version\.$/m);
});

test('flags around the word help are no matter', async () => {
  const { stdout } = await run(['help', 'output']);
  for (const words of [
    ['help', 'output', '--json'],
    ['--sandbox', 'help', 'output'],
    ['help', '-s', 'shop', 'output'],
  ])
    expect(await run(words)).toEqual({ code: 0, stdout, stderr: '' });
  expect(await run(['-s', 'help', 'help', 'stack', 'get'])).toEqual(await run(['stack', 'get', '--help']));
  expect(await run(['help', 'output', 'files'])).toMatchObject({
    code: 2,
    stderr: 'error: unexpected argument "files": help takes one topic\nhint: stackops help output\n',
  });
});

test('words behind a command are no matter for its page', async () => {
  const { stdout } = await run(['variant', 'weight', '--help']);
  expect((await run(['variant', '-s', 'shop', 'weight', 'list', '25', '--help'])).stdout).toBe(stdout);
  expect(stdout).toContain("Set a canary's share of traffic.");
});
