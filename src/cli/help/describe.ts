import { type Command, commandWrites } from '../../contract/command.ts';
import type { CommandEffect } from '../../contract/effects.ts';
import { type Field, type Fields, holdsSecret, isField } from '../../contract/field.ts';
import { type ExitMeaning, filterRecordType, type Output } from '../../contract/metadata.ts';
import type { TopLevelCommand } from '../../contract/tree.ts';
import { exactDurationText } from '../../contract/values/time.ts';
import { type Argument, argumentsOf, type Flag, flagsOf } from '../arguments/arguments.ts';
import { type GlobalOption, globalOptions } from '../arguments/options.ts';
import { addedEffects, effectsOf, valueKind } from './effects.ts';

/** The description of one command: everything that its help page says. `commands/commands/` explains the keys. */
export type CommandDescription = ReturnType<typeof describeCommand>;
export type ValueDescription = ReturnType<typeof describeValue>;

export interface FieldDescription {
  /** Members of a group have dotted names: `outcome.code`. */
  readonly name: string;
  readonly about: string;
  readonly kind: string;
  /** The codes of the field with their words, or its known words with the code null. Null for a field without words. */
  readonly values: readonly { readonly code: number | null; readonly word: string }[] | null;
}

export async function describeCommands(topLevel: readonly TopLevelCommand[]) {
  const descriptions = new Map(topLevel.map(({ name, description }) => [name, description]));
  const commands = await loadCommands(topLevel);
  return commands.map(([name, command]) => ({
    ...describeCommand(name, command, descriptions.get(name)),
    subcommands: commands.map(([other]) => other).filter((other) => other.startsWith(`${name} `)),
  }));
}

export async function loadCommands(topLevel: readonly TopLevelCommand[]) {
  return (await Promise.all(topLevel.map(({ load }) => load()))).flatMap((menu) => Object.entries(menu));
}

export function describeCommand(name: string, command: Command, description?: string) {
  const { about, examples, output, targets, calls } = command;
  const { kind, reply, table } = output;
  const args = argumentsOf(command);
  return {
    name,
    about,
    description: description ?? null,
    usage: ['stackops', name, ...usageOf(args, kind)].join(' '),
    arguments: args.map((one) => ({ shown: one.shown, ...describeValue(one, command), required: one.required })),
    flags: flagsOf(command).map((flag) => {
      const { flags, about: meaning, takes } = flag;
      return { flags, ...describeValue(flag, command), about: meaning, takes };
    }),
    places: targetOptions(command).map(({ flags, about, place, required, effects }) => {
      return { flags, about, place, required, effects };
    }),
    options: globalOptions.filter((option) => optionApplies(option, command)).map(({ long }) => long),
    examples,
    scopes: [...new Set(calls.map(({ scope }) => scope))].filter((scope) => scope !== 'none'),
    operations: calls.map(({ method, path, scope, outside }) => ({ method, path, scope, documented: !outside })),
    effects: effectsOf(command),
    changes_something: commandWrites(command),
    confirmation: command.confirm?.level ?? 'none',
    confirmation_when: command.confirm?.when ?? null,
    waits: command.wait,
    several_stacks: targets.stacks === 'several',
    runs_program: kind === 'program',
    assumptions: [...new Set(calls.flatMap(({ undocumented }) => undocumented ?? []))],
    reply: reply?.envelope ?? null,
    shows: resultKinds[kind],
    fields: describeFields(reply?.record?.fields ?? {}),
    columns: describeFields(table?.fields ?? {}),
    exit_codes: exitCodesOf(command),
  };
}

function usageOf(args: readonly Argument[], kind: Output['kind']): readonly string[] {
  const shown = args.map((argument) => argument.shown);
  if (kind !== 'program') return [...shown, '[flags]'];
  // The last argument is a program, which follows `--`.
  return [...shown.slice(0, -1), '[flags]', ...shown.slice(-1).map((one) => `-- ${one}`.replace('-- [', '[-- '))];
}

const resultKinds = {
  rows: 'rows',
  object: 'object',
  value: 'value',
  change: 'change',
  document: 'value',
  text: null,
  program: null,
} as const satisfies Readonly<Record<Output['kind'], string | null>>;

function describeValue(parameter: Pick<Flag, 'name' | 'field'>, command: Command) {
  const { name, field } = parameter;
  const item = field.kind === 'many' && isField(field.of) ? field.of : field;
  const { choices = null, open = false, range = null, maxLength = null } = { ...item, ...field };
  const { about, presence, target, preset = null, unit = null } = field;
  return {
    name,
    about,
    kind: valueKind(parameter, command),
    required: presence === 'required' && target === undefined && preset === null,
    repeatable: field.kind === 'many',
    choices,
    open,
    range,
    max_length: maxLength,
    unit,
    brief: field.hiddenInHelp ?? false,
    empty: field.empty ?? null,
    default: unit === 'ms' && preset !== null ? exactDurationText(preset) : preset,
    secret: field.secret ?? false,
    effects: addedEffects(parameter, command),
  };
}

/** Returns the long spelling from the description of a flag: `--stack` of `-s, --stack <uid or name>`. */
export function longSpelling({ flags }: { readonly flags: string }): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Describes fields by name. The members of a group, or of a list of groups, are named `group.name`. */
export function describeFields(fields: Fields, prefix = ''): readonly FieldDescription[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const item = field.kind === 'many' && isField(field.of) ? field.of.of : field.of;
    const members = item && !isField(item) && prefix === '' ? describeFields(item, `${name}.`) : [];
    return [{ name: `${prefix}${name}`, about: field.about, kind: field.kind, values: valuesOf(field) }, ...members];
  });
}

function valuesOf({ meanings, choices }: Field): FieldDescription['values'] {
  if (meanings) return meanings.map((word, code) => ({ code, word })).filter(({ word }) => word !== '-');
  return choices?.map((word) => ({ code: null, word })) ?? null;
}

const aboutSeveralStacks = 'Stack to act on; several: a,b, @FILE or -.';
const aboutStacksInTurn = 'One stack, or in turn several: a,b, @FILE or -.';
const aboutMatchingStacks = "Stack to act on; several: a,b, 'web-*', @FILE or -.";

export function targetOptions(command: Command) {
  const takesSeveralStacks = command.targets.stacks === 'several';
  const aboutWrite = command.targets.inTurn ? aboutStacksInTurn : aboutSeveralStacks;
  const aboutStacks = commandWrites(command) ? aboutWrite : aboutMatchingStacks;
  const params = Object.values<Field>(command.params);
  return globalOptions.flatMap((option) => {
    const field = params.find(({ target }) => target !== undefined && option.long === `--${target}`);
    if (option.group !== 'target' || !field?.target) return [];
    const required = field.presence === 'required' && !takesSeveralStacks;
    const isStackList = field.target === 'stack' && takesSeveralStacks;
    const effects: readonly CommandEffect[] = isStackList ? ['reads_file'] : [];
    return [{ ...option, about: isStackList ? aboutStacks : option.about, place: field.target, required, effects }];
  });
}

function optionApplies(option: GlobalOption, command: Command): boolean {
  if (option.group === 'list' && filterRecordType(command.output)) return option.long === '--where';
  return (appliesByGroup[option.group]?.(command) ?? false) && (appliesByName[option.long]?.(command) ?? true);
}

type AppliesTo = (command: Command) => boolean;

/** Functions that are true if a group of options applies to a command. Options of other groups are on other pages. */
const appliesByGroup: Readonly<Partial<Record<GlobalOption['group'], AppliesTo>>> = {
  output: ({ output }) => output.reply !== undefined,
  secret: ({ output }) =>
    output.kind !== 'value' && Object.values<Field>(output.reply?.record?.fields ?? {}).some(holdsSecret),
  list: ({ output }) => output.kind === 'rows' || output.kind === 'document',
  write: commandWrites,
  wait: ({ wait }) => wait !== 'never',
  several: ({ targets }) => targets.several,
};

const appliesByName: Readonly<Record<string, AppliesTo>> = {
  '--yes': ({ confirm }) => confirm?.level === 'yes',
  '--confirm': ({ confirm }) => confirm?.level === 'typed',
  '--wait': (command) => commandWrites(command) && command.wait !== 'never',
  '--wait-timeout': ({ wait }) => wait !== 'its own limits',
  '--poll': ({ wait }) => wait !== 'its own limits',
  '--curl': ({ wait }) => wait !== 'never',
};

function exitCodesOf(command: Command) {
  const namedResources = namesToLookUp(command);
  const failureTexts = [
    ...(command.confirm ? ['cancelled'] : []),
    ...(command.targets.several ? ['some of several changes failed'] : []),
  ];
  const derivedExits: readonly ExitMeaning[] = [
    ...(failureTexts.length > 0 ? [[1, failureTexts.join('; ')] as const] : []),
    ...(namedResources.length > 0 ? [[3, `not found or ambiguous: ${namedResources.join(', ')}`] as const] : []),
    ...waitingExits(command),
    ...(commandWrites(command) ? [[11, 'outcome unknown: the request was sent, no response'] as const] : []),
    ...(command.output.kind === 'program' ? [[null, 'the exit code of the program'] as const] : []),
  ];
  // A code that the command itself declares replaces the derived meaning.
  const exits = new Map<number | null, string>([...derivedExits, ...command.exits]);
  return [...exits]
    .map(([code, meaning]) => ({ code, meaning }))
    .toSorted((one, other) => (one.code ?? Number.POSITIVE_INFINITY) - (other.code ?? Number.POSITIVE_INFINITY));
}

function waitingExits(command: Command): readonly ExitMeaning[] {
  if (command.wait === 'never') return [];
  const whenText = command.wait === 'on request' ? 'with --wait: ' : '';
  return [
    [8, `${whenText}not finished within --wait-timeout, or result not seen`],
    [9, `${whenText}the operation failed`],
  ];
}

function namesToLookUp(command: Command): readonly string[] {
  const requiredParams = Object.values<Field>(command.params).filter(({ presence }) => presence === 'required');
  const targets = requiredParams.flatMap(({ target }) => (target ? [target.replace('-', ' ')] : []));
  const args = argumentsOf(command).filter(({ name }) => command.targets.named.includes(name));
  return [...new Set([...targets, ...args.map(({ label }) => label)])];
}
