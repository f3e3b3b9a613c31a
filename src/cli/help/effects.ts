import { type Command, commandWrites } from '../../contract/command.ts';
import { type CommandEffect, effectMeanings } from '../../contract/effects.ts';
import { type Field, isField } from '../../contract/field.ts';
import { isWriteOperation } from '../../contract/operation.ts';
import type { Flag } from '../arguments/arguments.ts';

/** An argument or a flag. `takes` tells where the value of a flag comes from. */
type Parameter = Pick<Flag, 'name' | 'field'> & Partial<Pick<Flag, 'takes'>>;

/** Returns the effects of a command without its optional arguments and flags. */
export function effectsOf(command: Command): readonly CommandEffect[] {
  const { calls, handler, output, revealed, moreEffects = [] } = command;
  const runsProgram = output.kind === 'program' || (handler.kind === 'writes' && handler.edit !== undefined);
  const requiredParams = Object.entries<Field>(command.params).filter(([, { presence }]) => presence === 'required');
  return sortEffects([
    ...moreEffects,
    ...calls.map((operation) => (isWriteOperation(operation) ? 'changes_service' : 'reads_service')),
    ...(commandWrites(command) ? (['changes_service'] as const) : []),
    ...(runsProgram ? (['runs_program'] as const) : []),
    ...(revealed ? (['prints_secret'] as const) : []),
    ...requiredParams.flatMap(([name, field]) => effectsOfValue({ name, field })),
  ]);
}

export function addedEffects(parameter: Parameter, command: Command): readonly CommandEffect[] {
  const commandEffects = effectsOf(command);
  return sortEffects(effectsOfValue(parameter).filter((effect) => !commandEffects.includes(effect)));
}

/** Returns `file` for a path on this machine, `command` for words that become a program, else the kind of the field. */
export function valueKind(parameter: Parameter, { output, positionals }: Command): string {
  const { kind, nameKind } = itemOf(parameter.field);
  const isProgram = kind === 'text' && effectsOfValue(parameter).includes('runs_program');
  if (isProgram || (output.kind === 'program' && parameter.name === positionals.at(-1))) return 'command';
  return parameter.takes === 'file' || effectsByNameKind[nameKind ?? ''] ? 'file' : kind;
}

const effectsByNameKind: Readonly<Record<string, readonly CommandEffect[]>> = {
  file: ['reads_file'],
  folder: ['writes_file'],
  'server path': ['reads_file', 'writes_file'],
};

function effectsOfValue({ field, takes }: Parameter): readonly CommandEffect[] {
  const { effects, nameKind = '' } = itemOf(field);
  return effects ?? (takes === 'file' ? effectsByNameKind['file'] : effectsByNameKind[nameKind]) ?? [];
}

function itemOf(field: Field): Field {
  return field.kind === 'many' && isField(field.of) ? { ...field.of, ...field, kind: field.of.kind } : field;
}

function sortEffects(effects: readonly CommandEffect[]): readonly CommandEffect[] {
  return (Object.keys(effectMeanings) as CommandEffect[]).filter((effect) => effects.includes(effect));
}
