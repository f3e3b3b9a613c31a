import type { Command } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';

export interface Flag {
  readonly name: string;
  readonly field: Field;
  /** The long spelling: `--server-group`. */
  readonly long: string;
  readonly spellings: readonly string[];
  /** The spellings with the value, as help shows them: `-g, --server-group <id or name>`. */
  readonly flags: string;
  readonly about: string;
  readonly takes: 'value' | 'nothing' | 'file' | 'stdin';
}
export type Argument = ReturnType<typeof argumentsOf>[number];

function kebabName(name: string, field: Field): string {
  return (field.label ?? name).replaceAll('_', '-');
}

/** Returns the arguments of a command in order: `<variant>`, `[account]`, `<KEY=VALUE...>`. */
export function argumentsOf(command: Command) {
  return command.positionals.map((name) => {
    const field: Field = command.params[name];
    const required = field.presence === 'required' && field.target === undefined;
    const variadic = field.kind === 'many';
    const label = kebabName(name, field);
    const labelText = `${label}${variadic ? '...' : ''}`;
    return { name, field, label, required, variadic, shown: required ? `<${labelText}>` : `[${labelText}]` };
  });
}

/** Returns the flags of a command: one for each parameter that is neither an argument nor a target. */
export function flagsOf(command: Command): readonly Flag[] {
  return Object.entries<Field>(command.params)
    .filter(([name, field]) => !command.positionals.includes(name) && field.target === undefined)
    .flatMap(([name, field]) => flagsOfField(name, field));
}

export function flagsOfField(name: string, field: Field): readonly Flag[] {
  const flagName = kebabName(name, field);
  const createFlag = (takes: Flag['takes'], long: string, valueText: string, about = field.about): Flag => {
    const spellings = [...(field.short === undefined ? [] : [`-${field.short}`]), long];
    return { name, field, long, spellings, flags: `${spellings.join(', ')}${valueText}`, about, takes };
  };
  if (field.secret) {
    return [
      createFlag('file', `--${flagName}-file`, ' <file>', `${field.about} Read from a file.`),
      createFlag('stdin', `--${flagName}-stdin`, '', `${field.about} Read from stdin.`),
    ];
  }
  if (field.kind === 'flag') return [createFlag('nothing', `--${flagName}`, '')];
  const placeholder = placeholderOf(flagName, field);
  return [createFlag('value', `--${flagName}`, mayOmitValue(field) ? ` [${placeholder}]` : ` <${placeholder}>`)];
}

export function mayOmitValue({ implicitValue }: Field): boolean {
  return implicitValue !== undefined;
}

/** Maximum length of choices in a placeholder. Longer choices would widen a column of help, which names them anyway. */
const maxChoicesLength = 20;

function placeholderOf(flagName: string, field: Field): string {
  if (field.placeholder !== undefined) return field.placeholder;
  if (field.unit === 'seconds' || field.unit === 'ms') return 'duration';
  if (field.kind === 'integer') return 'n';
  if (field.nameKind === 'file' || field.nameKind === 'folder') return field.nameKind;
  if (field.kind === 'many') return (field.of as Field).label ?? flagName;
  const choices = field.open ? '' : (field.choices ?? []).join('|');
  return choices !== '' && choices.length <= maxChoicesLength ? choices : flagName;
}

export function targetKindsOf({ params }: Command): ReadonlySet<Field['target']> {
  return new Set(Object.values<Field>(params).map(({ target }) => target));
}
