import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters as plain } from 'node:util';
import { readInput } from '../../src/cli/arguments/input.ts';
import { firstWord, type Options } from '../../src/cli/arguments/options.ts';
import { readCommandLine } from '../../src/cli/arguments/program.ts';
import { loadTreeAround } from '../../src/cli/arguments/read-line.ts';
import { topLevel } from '../../src/commands/index.ts';
import type { Field } from '../../src/contract/field.ts';
import { CliError } from '../../src/errors/cli-error.ts';

/** Every hint, undo and check that a run has printed, as it stands on the screen or in the JSON. */
export function printedLines(printed: { readonly stdout: string; readonly stderr: string }): string[] {
  const [stdout, stderr] = [plain(printed.stdout), plain(printed.stderr)];
  const labelled = [...stderr.matchAll(/^(?:hint: |undo: |[a-z ]+: (?=stackops ))(.+)$/gm)].map(
    ([, line = '']) => line,
  );
  const quoted = [...`${stdout}\n${stderr}`.matchAll(/"(?:hint|check|undo)": ?("(?:[^"\\]|\\.)*")/g)];
  const shown = [...stdout.matchAll(/^(?:Check|Undo):[\t ]+(.+)$/gm)].map(([, line = '']) => line);
  return [...new Set([...labelled, ...quoted.map(([, text = '""']) => String(JSON.parse(text))), ...shown])];
}

/** The arguments of each command of a line; sentences have none. */
export function commandsOf(line: string): readonly (readonly string[])[] {
  if (!line.startsWith('stackops ')) return [];
  // Double quotes are for the shells of Windows.
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\['\\]|[^\s'"\\])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|\\(['\\])/g,
      (_, ...found: (string | undefined)[]) => found.find((one) => one !== undefined) ?? '',
    ),
  );
  const commands: string[][] = [];
  for (const word of words) {
    if (word === 'stackops' && (commands.length === 0 || commands.at(-1)?.at(-1) === '&&')) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.map((command) => (command.at(-1) === '&&' ? command.slice(0, -1) : command));
}

/** Words, quoted words and `&&` between words: a shell need not be asked whether that is a line of sh. */
const plainLine = /^(?:(?:[\w./:=@%+,~-]|'[^']*'|\\['\\])+(?: (?:&& (?=\S))?|$))+$/;

/** By the line and the arguments of its run. */
const judged = new Map<string, Promise<string | undefined>>();

/** What is wrong with a printed line, if anything: it must parse, hold no placeholder, and act where its run did. */
export function faultOf(line: string, argv: readonly string[]): Promise<string | undefined> {
  const printed = JSON.stringify([line, argv]);
  const fault = judged.get(printed) ?? judge(line, argv);
  judged.set(printed, fault);
  return fault;
}

async function judge(line: string, argv: readonly string[]): Promise<string | undefined> {
  const bare = line.replace(/'[^']*'|\\['\\]/g, '');
  if (/[<…]|your\.host/.test(bare)) return 'holds a placeholder';
  const commands = commandsOf(line);
  if (commands.length === 0) return undefined;
  if (!plainLine.test(line) && spawnSync('sh', ['-n'], { input: line }).status !== 0) return 'is no line of sh';
  for (const command of commands) {
    const fault = await faultOfCommand(command, await given(argv));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const nothing = async () => '';
/** What a line reads from a file or stdin does not stand in it. */
const anyText = async () => 'text';

async function faultOfCommand(argv: readonly string[], typed: Options): Promise<string | undefined> {
  // Pages of help are shown whatever else a line holds; running it tells whether there is one.
  if (argv[0] === 'help' || argv.includes('--help') || argv.includes('-h')) return undefined;
  try {
    const invocation = await read(argv);
    if (invocation.kind === 'text') return undefined;
    const { command, path, options } = invocation;
    await readInput(invocation, { resolveTarget: nothing, readText: anyText });
    const fields = Object.values<Field>(command.params);
    const needsStack = fields.some(({ target, presence }) => target === 'stack' && presence === 'required');
    if (needsStack && options.stack === undefined && typed.stack) {
      return 'names no stack';
    }
    // Completion is an affair of this machine alone, which doctor looks at also with --sandbox.
    if (typed.sandbox && !options.sandbox && !path.startsWith('completion ')) return 'leaves the sandbox';
    if (typed.base_url !== undefined && options.base_url === undefined && !path.startsWith('history '))
      return 'names no service';
    return undefined;
  } catch (error) {
    // Of two mistakes a line mends one; extra arguments were given, and not made by the line.
    if (error instanceof CliError) return /unexpected argument/.test(error.message) ? undefined : error.message;
    throw error;
  }
}

async function read(argv: readonly string[]) {
  const resource = topLevel.find(({ name }) => name === firstWord(argv));
  return readCommandLine(argv, await loadTreeAround(resource, topLevel), '0.0.0');
}

/** What the run itself was given; nothing where its line could not be read. */
async function given(argv: readonly string[]): Promise<Options> {
  const invocation = await read(argv).catch(() => undefined);
  return invocation?.kind === 'run' ? invocation.options : {};
}
