import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from '../../../scripts/docs/tree.ts';
import type { TreeDescription } from '../../../src/cli/help/describe-tree.ts';
import { changeStates } from '../../../src/contract/plan.ts';
import { run } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

/**
 * The shape of `stackops commands --json`, typed by hand: programs rely on it. A key that goes or changes its kind needs
 * a new `version`; a new key only its line here.
 */
const value = {
  name: 'string',
  about: 'string',
  kind: 'string',
  required: 'boolean',
  repeatable: 'boolean',
  choices: ['string', null],
  open: 'boolean',
  range: ['number', null],
  max_length: 'number?',
  unit: 'string?',
  brief: 'boolean',
  empty: 'string?',
  default: 'scalar?',
  secret: 'boolean',
  effects: ['string'],
} as const;
const field = { name: 'string', about: 'string', kind: 'string', values: [{ code: 'number?', word: 'string' }, null] };
const command = {
  name: 'string',
  about: 'string',
  description: 'string?',
  usage: 'string',
  arguments: [{ shown: 'string', ...value }],
  flags: [{ flags: 'string', ...value, takes: 'string' }],
  places: [{ flags: 'string', about: 'string', place: 'string', required: 'boolean', effects: ['string'] }],
  options: ['string'],
  examples: ['string'],
  scopes: ['string'],
  operations: [{ method: 'string', path: 'string', scope: 'string', documented: 'boolean' }],
  effects: ['string'],
  changes_something: 'boolean',
  confirmation: 'string',
  confirmation_when: 'string?',
  waits: 'string',
  several_stacks: 'boolean',
  runs_program: 'boolean',
  assumptions: ['string'],
  reply: 'string?',
  shows: 'string?',
  fields: [field],
  columns: [field],
  exit_codes: [{ code: 'number?', meaning: 'string' }],
  subcommands: ['string'],
};
const named = { name: 'string', about: 'string' };
const tree = {
  version: 'number',
  about: 'string',
  options: [{ flags: 'string', about: 'string', effects: ['string'] }],
  groups: [{ ...named, description: 'string?' }],
  commands: [command],
  topics: [named],
  change_record: {
    fields: [field],
    changes: [{ change: 'string', meaning: 'string' }],
  },
  effects: [{ effect: 'string', meaning: 'string' }],
  exit_codes: [{ code: 'number', meaning: 'string' }],
};

/** Where a value differs from a shape; `string?` may be null, and so may a list with null in it. */
function differences(found: unknown, shape: unknown, path: string): readonly string[] {
  if (typeof shape === 'string') return isOf(found, shape) ? [] : [`${path} is no ${shape}`];
  if (Array.isArray(shape)) {
    if (found === null && shape.includes(null)) return [];
    if (!Array.isArray(found)) return [`${path} is no list`];
    return found.flatMap((item) => differences(item, shape[0], `${path}[]`));
  }
  const [held, wanted] = [Object.entries(found ?? {}), Object.keys(shape ?? {})];
  const keys = held.map(([key]) => key);
  if (keys.join() !== wanted.join()) return [`${path} has ${keys.join()}`];
  return held.flatMap(([key, inner]) => differences(inner, Reflect.get(shape ?? {}, key), `${path}.${key}`));
}

function isOf(found: unknown, shape: string): boolean {
  const kind = shape.replace('?', '');
  if (found === null) return shape.endsWith('?');
  return kind === 'scalar' ? ['string', 'number', 'boolean'].includes(typeof found) : typeof found === kind;
}

test('commands --json has the shape that was promised, for every command', async () => {
  const { code, stdout, stderr } = await run(['commands', '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const data: { readonly version: number } = JSON.parse(stdout);
  expect(data.version).toBe(1);
  expect([...new Set(differences(data, tree, 'tree'))]).toEqual([]);
  expect(data).toEqual(JSON.parse(JSON.stringify(await readTree())));
});

test('docs/commands.md names every key of a value', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/commands.md'), 'utf8');
  const [, listed = ''] = /The keys of a value are ([^;]*);/.exec(guide) ?? [];
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, key]) => key)).toEqual(Object.keys(value));
});

test('one command, to the letter', async () => {
  const { stdout } = await run(['commands', '--json']);
  const data: { readonly commands: readonly { readonly name: string }[] } = JSON.parse(stdout);
  const none = {
    choices: null,
    open: false,
    range: null,
    max_length: null,
    unit: null,
    brief: false,
    empty: null,
    default: null,
    secret: false,
    effects: [],
  };
  expect(data.commands.find(({ name }) => name === 'user device delete')).toEqual({
    name: 'user device delete',
    about: 'Delete a device.',
    description: null,
    usage: 'stackops user device delete <user> [flags]',
    arguments: [
      {
        shown: '<user>',
        name: 'user',
        about: 'ID or e-mail address of the user.',
        kind: 'text',
        required: true,
        repeatable: false,
        ...none,
      },
    ],
    flags: ['file', 'stdin'].map((takes) => ({
      flags: takes === 'file' ? '--token-file <file>' : '--token-stdin',
      name: 'token',
      about: `Token of the device. Read from ${takes === 'file' ? 'a file' : 'stdin'}.`,
      kind: takes === 'file' ? 'file' : 'text',
      required: true,
      repeatable: false,
      ...none,
      secret: true,
      effects: takes === 'file' ? ['reads_file'] : [],
      takes,
    })),
    places: [],
    options: [
      '--json',
      '--fields',
      '--jq',
      '--output',
      '--quiet',
      '--dry-run',
      '--curl',
      '--wait',
      '--wait-timeout',
      '--poll',
      '--notify',
    ],
    examples: ['stackops user device delete 7 --token-stdin < token.txt'],
    scopes: ['admin', 'users'],
    operations: [
      { method: 'GET', path: '/users', scope: 'admin', documented: true },
      { method: 'GET', path: '/users/:id', scope: 'users', documented: true },
      { method: 'DELETE', path: '/users/:id/devices/:token', scope: 'users', documented: true },
    ],
    effects: ['reads_service', 'changes_service'],
    changes_something: true,
    confirmation: 'none',
    confirmation_when: null,
    waits: 'on request',
    several_stacks: false,
    runs_program: false,
    assumptions: [],
    reply: 'one',
    shows: 'change',
    fields: expect.arrayContaining([
      {
        name: 'change',
        about: 'What was done.',
        kind: 'choice',
        values: changeStates.map((word) => ({ code: null, word })),
      },
      { name: 'message', about: expect.any(String), kind: 'text', values: null },
    ]),
    columns: [],
    exit_codes: [
      { code: 3, meaning: 'not found or ambiguous: user' },
      { code: 8, meaning: 'with --wait: not finished within --wait-timeout, or result not seen' },
      { code: 9, meaning: 'with --wait: the operation failed' },
      { code: 11, meaning: 'outcome unknown: the request was sent, no response' },
    ],
    subcommands: [],
  });
});

test('effects follow from the declarations', transcriptFile);

test('choices, ranges, several stacks and waiting are described', async () => {
  const { commands } = await readTree();
  const find = (name: string) => commands.find((one) => one.name === name);
  expect(find('reference clouds')?.flags[0]?.choices).toContain('hetzner');
  expect(find('sandbox start')?.flags.find(({ name }) => name === 'port')).toMatchObject({ range: [0, 65_535] });
  expect(find('variant list')).toMatchObject({ several_stacks: true, waits: 'never' });
  expect(find('variant list')?.places.map(({ flags }) => flags)).toEqual(['-s, --stack <uid or name>']);
  expect(find('redeploy')).toMatchObject({ waits: 'on request', confirmation: 'yes' });
  expect(find('db delete')).toMatchObject({ confirmation: 'typed', confirmation_when: null });
  expect(find('variant weight')).toMatchObject({
    confirmation: 'yes',
    confirmation_when: 'before a share of 100',
  });
  expect(find('deployment wait')).toMatchObject({ waits: 'always' });
  expect(find('sandbox run')).toMatchObject({ runs_program: true });
  expect(find('sandbox run')?.exit_codes.at(-1)).toMatchObject({ code: null });
  expect(find('doctor')?.exit_codes).toEqual([{ code: 1, meaning: 'a problem was found' }]);
});

test('every number a command ends with has its meaning', async () => {
  const { commands, exit_codes: meanings } = await readTree();
  const told = commands.flatMap(({ exit_codes: exits }) => exits.flatMap(({ code }) => code ?? []));
  const known = meanings.map(({ code }) => code);
  expect(told.filter((code) => !known.includes(code))).toEqual([]);
  expect(known.slice(-3)).toEqual([129, 130, 143]);
});

test('every command has an example, a usage and its own name in both', async () => {
  const { commands } = await readTree();
  const own = (name: string, line: string) => line.includes(`stackops ${name}`);
  const wrong = commands.filter(
    ({ name, usage, examples }) => !own(name, usage) || !examples.some((line) => own(name, line)),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
  const told = commands.flatMap(({ name, examples }) => examples.map((line) => [name, line] as const));
  expect(told.filter(([name, line]) => !own(name, line)).map(([name]) => name)).toEqual(['user update']);
});

test('commands is a table of names and purposes', async () => {
  const { commands } = await readTree();
  const { code, stdout } = await run(['commands']);
  expect(code).toBe(0);
  expect(stdout).toBe(commands.map(({ name, about }) => `${name}\t${about}\n`).join(''));
  const names = await run(['commands', '-q']);
  expect(names.stdout).toBe(commands.map(({ name }) => `${name}\n`).join(''));
});

test('words select one command, in at most 6 KB of a pipe, and leave out what says nothing', async () => {
  const { commands } = await readTree();
  const large: string[] = [];
  for (const full of commands) {
    const { stdout } = await run(['commands', '--json', ...full.name.split(' ')]);
    if (Buffer.byteLength(stdout) > 6 * 1024) large.push(`${full.name}: ${Buffer.byteLength(stdout)} bytes`);
    const [one] = JSON.parse(stdout).commands;
    expect(one).toMatchObject({ name: full.name, about: full.about, usage: full.usage, examples: full.examples });
    const left = Object.entries(full).filter(([key]) => key !== 'fields' && !Object.hasOwn(one, key));
    expect(left.filter(([, value]) => value !== null && value !== false && String(value) !== '')).toEqual([]);
  }
  expect(large).toEqual([]);
});

test('words select a group; of a change there is only what not every change has', async () => {
  const { commands, groups } = await readTree();
  const select = async (...words: readonly string[]) =>
    JSON.parse((await run(['commands', '--json', ...words])).stdout) as Pick<TreeDescription, 'commands' | 'groups'>;
  const variant = await select('variant');
  expect(variant.commands.map(({ name }) => name)).toEqual(
    commands.map(({ name }) => name).filter((name) => name.startsWith('variant ')),
  );
  expect(variant.groups).toEqual(groups.filter(({ name }) => name === 'variant'));
  expect((await select('env', 'set')).commands.map(({ name }) => name)).toEqual(['stack env set']);
  expect((await select('variant weight')).commands[0]?.fields.map(({ name }) => name)).toEqual(['uid']);
});

test('all commands in brief take at most 16 KB of a pipe', async () => {
  const { commands } = await readTree();
  const { stdout } = await run(['commands', '--json', '--brief']);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(16 * 1024);
  expect(JSON.parse(stdout).commands).toHaveLength(commands.length);
});

test('in brief there is what chooses a command', transcriptFile);

test('parts of it are chosen by name', transcriptFile);
