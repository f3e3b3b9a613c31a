import type { Command } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';

export type Flag = ReturnType<typeof flagsOfField>[number];
export type Argument = ReturnType<typeof argumentsOf>[number];

function kebab(name: string, field: Field): string {
  return (field.label ?? name).replaceAll('_', '-');
}

/** The arguments of a command in order: `<variant>`, `[account]`, `<KEY=VALUE...>`. */
export function argumentsOf(command: Command) {
  return command.positionals.map((name) => {
    const field: Field = command.params[name];
    const required = field.presence === 'required' && field.target === undefined;
    const variadic = field.kind === 'many';
    const label = kebab(name, field);
    const inner = `${label}${variadic ? '...' : ''}`;
    return { name, field, label, required, variadic, shown: required ? `<${inner}>` : `[${inner}]` };
  });
}

/** The flags of a command, each with its declaration for Commander: every param that is neither an argument nor a place. */
export function flagsOf(command: Command): readonly Flag[] {
  return Object.entries<Field>(command.params)
    .filter(([name, field]) => !command.positionals.includes(name) && field.target === undefined)
    .flatMap(([name, field]) => flagsOfField(name, field));
}

function flagsOfField(name: string, field: Field) {
  const word = kebab(name, field);
  const short = field.short === undefined ? '' : `-${field.short}, `;
  const flag = (flags: string, via: 'value' | 'switch' | 'file' | 'stdin', about = field.about) => {
    // `long` is its long spelling alone: `--key-file`.
    return { flags: `${short}${flags}`, long: flags.split(' ')[0] ?? '', about, name, field, via };
  };
  if (field.secret) {
    return [
      flag(`--${word}-file <file>`, 'file', `${field.about} Read from a file.`),
      flag(`--${word}-stdin`, 'stdin', `${field.about} Read from stdin.`),
    ];
  }
  if (field.kind === 'flag') return [flag(`--${word}`, 'switch')];
  const value = placeholder(word, field);
  return [flag(`--${word} ${field.implicitValue === undefined ? `<${value}>` : `[${value}]`}`, 'value')];
}

/** Longer ones would tear the columns of help apart; all choices stand in the sentence beside them, too. */
const longestChoices = 20;

function placeholder(word: string, field: Field): string {
  if (field.placeholder !== undefined) return field.placeholder;
  if (field.unit === 'seconds' || field.unit === 'ms') return 'duration';
  if (field.kind === 'integer') return 'n';
  if (field.names === 'file' || field.names === 'folder') return field.names;
  if (field.kind === 'many') return (field.of as Field).label ?? word;
  const choices = field.open ? '' : (field.choices ?? []).join('|');
  return choices !== '' && choices.length <= longestChoices ? choices : word;
}
