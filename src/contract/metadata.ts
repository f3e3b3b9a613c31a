import type { CommandEffect } from './effects.ts';
import { type Field, type Fields, isField, type NameKind, type Values } from './field.ts';
import { isWriteOperation, type Operation } from './operation.ts';
import type { RecordType } from './record.ts';
import { isListReply, type Reply } from './reply.ts';

/** The properties of a command that help, man pages, completion and `commands --json` show. */
export interface Metadata {
  /** The operations that the command may call. Empty for a local command, and for one that chooses them at run time. */
  readonly calls: readonly Operation[];
  /** True when the command changes the service; a function when that depends on the input. */
  readonly changes: boolean | ((input: any) => boolean);
  /** True if the command uses neither the service nor the sandbox. */
  readonly isLocal?: true;
  readonly output: Output;
  /** `on request`: the command waits only with --wait. This is the default of a write. */
  readonly wait: 'never' | 'on request' | 'always' | 'its own limits';
  /** The parameter whose flag makes the command wait even without --wait; undefined if none does. */
  readonly waitsWith: string | undefined;
  readonly targets: CommandTargets;
  /** Secret fields of the reply that are shown without --reveal, because the command exists to read them. */
  readonly revealed: readonly string[] | undefined;
  /** Effects of the command that follow from neither its operations nor its arguments. */
  readonly moreEffects: readonly CommandEffect[] | undefined;
  readonly restriction: Restriction | undefined;
  /** Exit codes with a meaning that does not follow from the other properties. */
  readonly exits: readonly ExitMeaning[];
}

/** The reason to refuse agents a command: it changes settings or the sign-in, runs programs on servers, or is `api`. */
type Restriction = 'settings' | 'server' | 'raw';

/** The output of a command. `reply` has the fields of JSON output, and of the columns too unless `table` is set. */
export type Output =
  /** A list. `table` is the type of its rows if the reply is not the list itself. */
  | { readonly kind: 'rows'; readonly reply: Reply; readonly table?: RecordType }
  /** One object, the requested value alone (secret or not), or sentences about a change. */
  | {
      readonly kind: 'object' | 'value' | 'change';
      readonly reply: Reply;
      readonly table?: never;
      /** True when JSON output is a series of events, each printed when it happens, without a value at the end. */
      readonly events?: true;
    }
  /** The response of the service. With the flag of the parameter `tableWith` it is shown as a table. */
  | { readonly kind: 'document'; readonly reply: Reply; readonly table: RecordType; readonly tableWith: string }
  /** Text that the command itself writes. */
  | { readonly kind: 'text'; readonly reply?: never; readonly table?: never }
  /** The output of the program after `--`. JSON output has the fields of `reply`. --where filters `filteredBy`. */
  | { readonly kind: 'program'; readonly reply?: Reply; readonly table?: never; readonly filteredBy?: RecordType };

/** Returns the record type that --where filters, if it is not that of the output. */
export function filterRecordType(output: Output): RecordType | undefined {
  return output.kind === 'program' ? output.filteredBy : undefined;
}

interface CommandTargets {
  /** How many stacks `-s` may name. Several are written `-s a,b`, `-s @FILE` or `-s -`. */
  readonly stacks: 'none' | 'one' | 'several';
  /** True when several stacks are changed one after another, each to its end. */
  readonly inTurn: boolean;
  /** Parameters whose arguments name existing resources. */
  readonly named: readonly string[];
  /** True when one run may make several changes. */
  readonly several: boolean;
}

/** An exit code and its meaning. The code is null for the exit code of the program that was run. */
export type ExitMeaning = readonly [code: number | null, meaning: string];

type OptionalMetadata = Partial<Pick<Metadata, 'output' | 'revealed' | 'moreEffects' | 'restriction' | 'exits'>>;

export interface CommandDeclaration<P extends Fields = any> extends OptionalMetadata, Pick<Metadata, 'calls'> {
  readonly params: P;
  readonly positionals?: readonly (keyof P & string)[];
  /** The type of the value that the command returns; absent for plain text. */
  readonly reply?: Reply;
  /** When the command waits. The default is `on request` for a write and `never` for a read. */
  readonly wait?: 'always' | 'never' | 'its own limits';
  /** The parameter whose flag makes the command wait even without --wait. */
  readonly waitsWith?: keyof P & string;
  /** Whether the command changes the service, if that does not follow from `calls`. */
  readonly changes?: true | ((input: Values<P>) => boolean);
  /** Whether `-s` may name several stacks. The default is true for a read that needs a stack, and false for a write. */
  readonly severalStacks?: boolean | 'in turn';
}

/** Derives the metadata from a declaration. By default a write reports its change, and a read shows its reply. */
export function metadataOf(declaration: CommandDeclaration): Metadata {
  const { calls, changes = calls.some(isWriteOperation), exits = [] } = declaration;
  const { reply, waitsWith, revealed, moreEffects, restriction } = declaration;
  const isWrite = changes !== false;
  const { output = outputOf(reply, isWrite), wait = isWrite ? 'on request' : 'never' } = declaration;
  const targets = targetsOf(declaration, isWrite, output);
  return { calls, changes, output, wait, waitsWith, targets, revealed, moreEffects, restriction, exits };
}

function outputOf(reply: Reply | undefined, isWrite: boolean): Output {
  return reply ? { kind: isWrite ? 'change' : outputKind(reply), reply } : { kind: 'text' };
}

function outputKind(reply: Reply): 'rows' | 'value' | 'object' {
  if (isListReply(reply)) return 'rows';
  return reply.envelope === 'opaque' || reply.envelope === 'raw' ? 'value' : 'object';
}

function targetsOf(declaration: CommandDeclaration, isWrite: boolean, output: Output): CommandTargets {
  const { params, positionals = [], wait, severalStacks } = declaration;
  const stacks = stackCountOf(declaration, isWrite, output);
  const isListParam = (name: string) => params[name].kind === 'many' || params[name].commas === true;
  return {
    stacks,
    inTurn: severalStacks === 'in turn',
    named: positionals.filter((name) => namesExistingResource(params[name])),
    several: isWrite && wait !== 'never' && (stacks === 'several' || positionals.some(isListParam)),
  };
}

function stackCountOf(declaration: CommandDeclaration, isWrite: boolean, output: Output): CommandTargets['stacks'] {
  const { params, positionals = [], wait, severalStacks } = declaration;
  const fields = Object.entries<Field>(params).flatMap(([name, field]) => (positionals.includes(name) ? [] : field));
  const stackField = fields.find(({ target }) => target === 'stack');
  if (!stackField) return 'none';
  const takesSeveral = severalStacks ?? (!isWrite && !wait && stackField.presence === 'required');
  return takesSeveral && output.reply?.record ? 'several' : 'one';
}

/** Kinds of names that completion offers, but the service need not have: new names, and names on this machine. */
const kindsOutsideService: readonly (NameKind | undefined)[] = [
  'tag',
  'method',
  'file',
  'folder',
  'server path',
  'profile',
  'setting',
  'preference',
  undefined,
];

function namesExistingResource({ nameKind, assigns, target, of }: Field): boolean {
  const offeredKind = nameKind ?? (isField(of) ? of.nameKind : undefined);
  return !kindsOutsideService.includes(offeredKind) && !assigns && !target;
}
