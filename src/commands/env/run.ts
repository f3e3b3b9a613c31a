import { customCommand } from '../../builders/custom-command.ts';
import { findAmong, readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { flag, many, optional, text, type Values } from '../../contract/field.ts';
import type { Environment } from '../../contract/host.ts';
import { stackParam } from '../../contract/params.ts';
import type { NamedValues } from '../../env-file/dotenv.ts';
import { CliError } from '../../errors/cli-error.ts';
import { runProgram } from '../../programs/run.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { knownValues } from './variable.ts';

const params = {
  stack_id: stackParam,
  command: many(text('Program and its arguments.'), 'Program and its arguments, after `--`.', {
    empty: 'An empty one is passed on.',
  }),
  only: optional(
    many(
      text('Name of an environment variable.', { nameKind: 'environment variable', label: 'KEY' }),
      'Pass only these environment variables (also PATH, LD_* and such).',
    ),
  ),
  prefer_local: optional(flag('Keep local variables that the stack has too.')),
  pristine: optional(flag('Pass nothing local but PATH, HOME and TERM.')),
};
type RunInput = Values<typeof params>;

/** `env run`: runs a program with the values of a stack. Only the environment of the program holds the values. */
export const envRunCommand = customCommand({
  moreEffects: ['prints_secret'],
  about: 'Run a program with the environment variables of a stack.',
  params,
  positionals: ['command'],
  examples: [
    'stackops stack env run -s shop -- ./deploy.sh',
    'stackops stack env run --only LOG_LEVEL,CURRENCY --pristine -s shop -- env',
  ],
  calls: [environments.list],
  output: { kind: 'program' },
  exits: [
    [126, 'the program cannot be run, or its environment is too large'],
    [127, 'program not found'],
  ],
  run: async (context, input) => {
    const values = await valuesFor(context, input);
    const { programs } = context.host;
    const env = environmentOf(values, programs.env, input);
    const countText = values.size === 1 ? 'one variable' : `${values.size} variables`;
    if (context.dryRun) return context.note(`would run ${input.command[0]} with ${countText}`);
    programs.setExitCode(await runProgram({ commandLine: input.command, env }, programs));
  },
  present: () => ({ kind: 'nothing' }),
});

/** Matches variables that make a common tool run a program, so their writer could run commands on this machine. */
const commandVariablePattern = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|IFS|ENV|BASH_ENV|BASH_FUNC_.*|PS4|PROMPT_COMMAND|ZDOTDIR|XDG_.*|LD_.*|DYLD_.*',
    'EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SSH_ASKPASS|RSYNC_RSH|TAR_OPTIONS|MAKEFLAGS|OPENSSL_CONF',
    'NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|BUN_.*|PYTHON.*|PERL.*|RUBY(?:OPT|LIB)|LUA_INIT.*|GOFLAGS|CARGO_.*|RUSTC_WRAPPER',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|GIT_.*|STACKOPS_.*',
  ].join('|')})$`,
  // The pattern ignores case, because Windows ignores the case of names of variables.
  'is',
);

function chosenRows(context: Context, rows: readonly Variable[], input: RunInput): readonly Variable[] {
  if (input.only) return input.only.map((key) => findAmong(variable, rows, key, input));
  const omittedKeys = rows.filter(({ key }) => commandVariablePattern.test(key)).map(({ key }) => key);
  if (omittedKeys.length > 0)
    context.warn(`left out ${omittedKeys.join(', ')}, which can run commands here; --only KEY passes one`);
  return rows.filter(({ key }) => !omittedKeys.includes(key));
}

async function valuesFor(context: Context, input: RunInput): Promise<NamedValues> {
  const rows = chosenRows(context, await readAll(context, variable, input), input);
  const values = knownValues(context, rows);
  const unfitEntry = [...values].find(([key, value]) => !/^[^=\0]+$/.test(key) || value.includes('\0'));
  if (!unfitEntry) return values;
  const message = `${JSON.stringify(unfitEntry[0])} cannot be an environment variable of a program: NUL or "=" in it`;
  throw new CliError('usage', message, { exitCode: 126 });
}

function environmentOf(values: NamedValues, localEnv: Environment, { prefer_local, pristine }: RunInput): Environment {
  const { PATH, HOME, TERM } = localEnv;
  const localValues = pristine ? { PATH, HOME, TERM } : localEnv;
  const stackValues = Object.fromEntries(values);
  if (!prefer_local) return { ...localValues, ...stackValues };
  // A local variable that is undefined must not hide the variable of the stack.
  const definedValues = Object.entries(localValues).filter(([, value]) => value !== undefined);
  return { ...stackValues, ...Object.fromEntries(definedValues) };
}
