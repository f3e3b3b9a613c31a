import { type Command, commandWrites } from '../../contract/command.ts';
import type {
  CommandDescription,
  FieldDescription,
  PlaceDescription,
  ValueDescription,
} from '../../contract/description.ts';
import { type Field, type Fields, isField } from '../../contract/field.ts';
import { shownBy } from '../../contract/shown.ts';
import { takesSeveralStacks } from '../stacks/several-stacks.ts';
import { flagsOf, wordsOf } from '../words/arguments.ts';
import { globalOptions, longSpelling } from '../words/options.ts';
import { exitsOf } from './exits.ts';
import { matters } from './matters.ts';

/** Everything there is to say about one command. */
export function describeCommand(words: string, command: Command, description?: string): CommandDescription {
  const { about, examples, calls, reply } = command;
  const args = wordsOf(command);
  const usage = ['stackops', words, ...args.map(({ shown }) => shown), command.runsProgram ? '' : '[flags]'];
  return {
    words,
    about,
    description: description ?? null,
    usage: usage.filter(Boolean).join(' '),
    arguments: args.map(({ name, field, shown, required }) => ({ shown, ...describeValue(name, field), required })),
    flags: flagsOf(command).map(({ name, field, flags, about: meaning, via }) => {
      const takes = via === 'file' || via === 'stdin' || via === 'value' ? via : 'nothing';
      return { flags, ...describeValue(name, field), about: meaning, takes };
    }),
    places: placesOf(command),
    options: globalOptions.filter((option) => matters(option, command)).map(longSpelling),
    examples,
    scopes: [...new Set(calls.map(({ scope }) => scope))].filter((scope) => scope !== 'none'),
    operations: calls.map(({ method, path, scope, outside }) => ({ method, path, scope, documented: !outside })),
    changes_something: commandWrites(command),
    confirmation: command.confirm?.level ?? 'none',
    confirmation_when: command.confirm?.when ?? null,
    waits: waitsOf(command),
    several_stacks: takesSeveralStacks(command),
    runs_program: command.runsProgram ?? false,
    assumptions: [...new Set(calls.flatMap(({ undocumented }) => undocumented ?? []))],
    reply: reply?.envelope ?? null,
    shows: reply ? shownBy(command) : null,
    fields: describeFields(reply?.record?.fields ?? {}),
    columns: describeFields(command.table?.fields ?? {}),
    exit_codes: exitsOf(command),
  };
}

function waitsOf(command: Command): CommandDescription['waits'] {
  if (command.waits) return 'always';
  return commandWrites(command) ? 'on request' : 'never';
}

function describeValue(name: string, field: Field): ValueDescription {
  const item = field.kind === 'many' && isField(field.of) ? field.of : undefined;
  return {
    name,
    about: field.about,
    kind: item?.kind ?? field.kind,
    required: field.presence === 'required' && field.place === undefined && field.preset === undefined,
    repeatable: field.kind === 'many',
    choices: field.choices ?? item?.choices ?? null,
    open: (field.open || item?.open) ?? false,
    range: field.range ?? item?.range ?? null,
    max_length: field.maxLength ?? item?.maxLength ?? null,
    unit: field.unit ?? null,
    default: field.preset ?? null,
    secret: field.secret ?? false,
  };
}

/** Their own names, and `group.name` below groups and lists of groups. */
function describeFields(fields: Fields, above = ''): readonly FieldDescription[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { about, kind } = field;
    const item = field.kind === 'many' && isField(field.of) ? field.of.of : field.of;
    const below = item && !isField(item) && above === '' ? describeFields(item, `${name}.`) : [];
    return [{ name: `${above}${name}`, about, kind }, ...below];
  });
}

function placesOf(command: Command): readonly PlaceDescription[] {
  const several = takesSeveralStacks(command);
  const fields = Object.values<Field>(command.params);
  return globalOptions.flatMap((option) => {
    const found = fields.find(({ place }) => place !== undefined && longSpelling(option) === `--${place}`);
    const isList = option.flags.startsWith('--stacks-file') && several;
    if (option.where !== 'place' || !(found?.place || isList)) return [];
    const about = found?.place === 'stack' ? `Stack to act on${several ? '; several with commas' : ''}.` : option.about;
    const required = found?.presence === 'required' && !several;
    return [{ flags: option.flags, about, place: found?.place ?? 'stack', required }];
  });
}
