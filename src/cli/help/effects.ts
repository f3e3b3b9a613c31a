import { type Command, commandWrites } from '../../contract/command.ts';
import { type CommandEffect, type Field, isField } from '../../contract/field.ts';
import { writes } from '../../contract/operation.ts';
import type { Flag } from '../arguments/arguments.ts';

/** Descriptions print the effects in this order. */
export const effectMeanings: Readonly<Record<CommandEffect, string>> = {
  reads_service: 'reads from the service',
  changes_service: 'changes the service or its servers',
  reads_machine: 'reads settings, tokens or records of this machine',
  changes_machine: 'changes settings, tokens or records of this machine',
  reads_file: 'reads a file that an argument names',
  writes_file: 'writes a file',
  runs_program: 'runs a program, here or on a server',
  prints_secret: 'prints a secret, or passes it to a program',
};

/** An argument or a flag. `takes` is the source of a flag's value. */
type Given = Pick<Flag, 'name' | 'field'> & Partial<Pick<Flag, 'takes'>>;

/** The effects of a command without its optional arguments and flags. */
export function effectsOf(command: Command): readonly CommandEffect[] {
  const { calls, handler, output, revealed, moreEffects = [] } = command;
  const isStarted = output.kind === 'program' || (handler.kind === 'writes' && handler.edit !== undefined);
  const required = Object.entries<Field>(command.params).filter(([, { presence }]) => presence === 'required');
  return inOrder([
    ...moreEffects,
    ...calls.map((operation) => (writes(operation) ? 'changes_service' : 'reads_service')),
    ...(commandWrites(command) ? (['changes_service'] as const) : []),
    ...(isStarted ? (['runs_program'] as const) : []),
    ...(revealed ? (['prints_secret'] as const) : []),
    ...required.flatMap(([name, field]) => effectsOfValue({ name, field })),
  ]);
}

/** The effects that an argument or a flag adds to those of its command. */
export function addedEffects(given: Given, command: Command): readonly CommandEffect[] {
  const known = effectsOf(command);
  return inOrder(effectsOfValue(given).filter((effect) => !known.includes(effect)));
}

/** `file` for a path on this machine, `command` for words that become a program; else the kind of the field. */
export function valueKind(given: Given, { output, positionals }: Command): string {
  const { kind, names } = itemOf(given.field);
  const isProgram = kind === 'text' && effectsOfValue(given).includes('runs_program');
  if (isProgram || (output.kind === 'program' && given.name === positionals.at(-1))) return 'command';
  return given.takes === 'file' || effectsOfNames[names ?? ''] ? 'file' : kind;
}

const effectsOfNames: Readonly<Record<string, readonly CommandEffect[]>> = {
  file: ['reads_file'],
  folder: ['writes_file'],
  'server path': ['reads_file', 'writes_file'],
};

function effectsOfValue({ field, takes }: Given): readonly CommandEffect[] {
  const { effects, names = '' } = itemOf(field);
  return effects ?? (takes === 'file' ? effectsOfNames['file'] : effectsOfNames[names]) ?? [];
}

function itemOf(field: Field): Field {
  return field.kind === 'many' && isField(field.of) ? { ...field.of, ...field, kind: field.of.kind } : field;
}

function inOrder(found: readonly CommandEffect[]): readonly CommandEffect[] {
  return (Object.keys(effectMeanings) as CommandEffect[]).filter((effect) => found.includes(effect));
}
