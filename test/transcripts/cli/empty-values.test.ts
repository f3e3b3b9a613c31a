import { expect, test } from 'vitest';
import { type Argument, argumentsOf, type Flag, flagsOf } from '../../../src/cli/arguments/arguments.ts';
import { globalOptions } from '../../../src/cli/arguments/options.ts';
import { topLevel } from '../../../src/commands/index.ts';
import type { Command } from '../../../src/contract/command.ts';
import { type Field, isField } from '../../../src/contract/field.ts';
import { mark } from '../../support/phrases.ts';
import { ownFolders, run } from '../../support/stackops.ts';

const menus = await Promise.all(topLevel.map(({ load }) => load()));
const commands = menus.flatMap((menu) => Object.entries(menu));

/** A value that the field takes. */
function usable(field: Field): string {
  const item = field.kind === 'many' && isField(field.of) ? field.of : field;
  if (field.assigns ?? item.assigns) return 'a=1';
  if (item.unit === 'seconds') return '1h';
  return item.kind === 'integer' ? '1' : (item.choices?.[0] ?? 'x');
}

const argumentsBut = (command: Command, empty?: Argument) =>
  argumentsOf(command).map((argument) => (argument.name === empty?.name ? '' : usable(argument.field)));

/** The flags that a command cannot do without. */
const needed = (command: Command, but?: Flag) =>
  flagsOf(command)
    .filter(({ name, takes, field }) => field.presence === 'required' && takes !== 'stdin' && name !== but?.name)
    .flatMap(({ long, field }) => [long, usable(field)]);

/** `--` lets no argument be taken for a flag, and is where the words of a program begin. */
const lineOf = (words: string, flags: readonly string[], args: readonly string[]) => {
  // Its servers, of any number, end there.
  const before = words === 'server run' ? args.slice(0, -1) : [];
  return [...words.split(' '), ...before, ...flags, '-y', '--sandbox', '--', ...args.slice(before.length)] as const;
};

const refused = (shown: string) =>
  new RegExp(`^error: ${shown.replace(/[[\].]/g, '\\$&')} (must not be empty|must be .*, not "")(\n|$)`);

const sent: string[] = [];
const told = async (argv: readonly string[], stdin = '') => {
  const folders = ownFolders();
  const { code, stdout, stderr } = await run([...argv], { stdin, env: folders });
  if (stdout !== '') sent.push(stdout);
  return { code, stderr: stderr.replace(mark, '') };
};

const args = commands.flatMap(([words, command]) =>
  argumentsOf(command).map((argument) => [words, argument.shown, command, argument] as const),
);
const flags = commands.flatMap(([words, command]) =>
  flagsOf(command)
    .filter(({ takes }) => takes !== 'nothing')
    .map((flag) => [words, flag.long, command, flag] as const),
);

test('every argument of every command refuses an empty value, or says what one means', async () => {
  for (const [words, shown, command, argument] of args) {
    const { empty, assigns } = argument.field;
    if (empty !== undefined && !assigns) continue;
    const { code, stderr } = await told(lineOf(words, needed(command), argumentsBut(command, argument)));
    expect({ words, code }).toEqual({ words, code: 2 });
    expect(stderr, words).toMatch(refused(`<${shown.slice(1, -1)}>`));
  }
  expect(args.length).toBeGreaterThan(70);
});

test('every flag of every command refuses an empty value, also an empty file and an empty stdin', async () => {
  for (const [words, long, command, flag] of flags) {
    const { takes } = flag;
    const given = [...needed(command, flag), long, ...(takes === 'stdin' ? [] : [''])];
    const { code, stderr } = await told(lineOf(words, given, argumentsBut(command)));
    expect({ words, long, code }).toEqual({ words, long, code: 2 });
    expect(stderr, words).toMatch(refused(long));
    if (takes !== 'file') continue;
    const file = await told(lineOf(words, [...given.slice(0, -1), '-'], argumentsBut(command)), ' \n');
    expect(file, words).toEqual({ code: 2, stderr: `error: ${long} must not be empty\n` });
  }
  expect(flags.length).toBeGreaterThan(90);
});

test.each(globalOptions.filter(({ takes }) => takes === 'value').map(({ long }) => long))(
  '%s refuses an empty value, with every command alike',
  async (long) => {
    for (const words of [
      ['stack', 'list'],
      ['redeploy', '-y'],
      ['config', 'path'],
    ]) {
      const { code, stderr } = await told([...words, '--sandbox', long, '']);
      expect(code).toBe(2);
      expect(stderr).toContain(`${long} must not be empty`);
    }
  },
);

const takesAssignment = ({ field }: { readonly field: Field }) =>
  (field.assigns ?? (isField(field.of) ? field.of.assigns : undefined)) !== undefined;

const assigned = commands.flatMap(([words, command]) => [
  ...argumentsOf(command)
    .filter(takesAssignment)
    .map(({ field }) => [words, field, lineOf(words, [], ['a='])] as const),
  ...flagsOf(command)
    .filter(takesAssignment)
    .map((flag) => {
      const given = [...needed(command), flag.long, 'a='];
      return [words, flag.field, lineOf(words, given, argumentsBut(command))] as const;
    }),
]);

test.each(assigned)(
  '%s: an assignment without a value is refused, or help says what it means',
  async (words, field, line) => {
    const { stdout } = await run([...words.split(' '), '--help']);
    if (field.empty !== undefined) return expect(stdout.replace(/\s+/g, ' ')).toContain(field.empty);
    expect((await told(line)).stderr).toContain('needs a value after "a="');
  },
);

test('an empty variable counts as not set', async () => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: '', STACKOPS_PROFILE: '', STACKOPS_OUTPUT: '' };
  expect(await run(['server', 'list', '-s', 'shop', '-q'], { env })).toMatchObject({ code: 0 });
  expect((await run(['server', 'list'], { env })).code).toBe(2);
});

test('a deployment of a variable that is not set deploys nothing', async () => {
  expect(await told(['redeploy', '--git-ref', '', '-s', 'shop', '-y', '--sandbox'])).toEqual({
    code: 2,
    stderr: 'error: --git-ref must not be empty\n',
  });
  expect(sent).toEqual([]);
});
