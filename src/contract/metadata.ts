import { type CommandEffect, type Field, type Fields, isField, type Names, type Values } from './field.ts';
import { type Operation, writes } from './operation.ts';
import type { RecordType } from './record.ts';
import type { Reply } from './reply.ts';

/** The properties of a command: help, man pages, completion and `commands --json` read them. */
export interface Metadata {
  /** The operations that it may call; empty for a local command, or one that decides at run time. */
  readonly calls: readonly Operation[];
  /** True when it changes the service; a function when that depends on the input. */
  readonly changes: boolean | ((input: any) => boolean);
  /** The command uses neither the service nor the sandbox. */
  readonly isLocal?: true;
  readonly output: Output;
  /** `on request`: with --wait, as every write. */
  readonly wait: 'never' | 'on request' | 'always' | 'its own limits';
  /** The parameter whose flag makes it wait, too. */
  readonly waitsWith: string | undefined;
  readonly targets: Targets;
  /** Secret fields of its reply that it shows without --reveal, because they are its purpose. */
  readonly revealed?: readonly string[];
  readonly moreEffects?: readonly CommandEffect[];
  readonly restriction?: Restriction;
  /** Exit codes whose meaning no other fact gives. */
  readonly exits: readonly Exit[];
}

/** Changes the guards of this machine, runs a program on servers, or sends any request: agents may be kept from it. */
export type Restriction = 'settings' | 'server' | 'raw';

/** The output. `reply` is the shape of JSON and --fields, and of columns without a `table`. */
export type Output =
  /** `table`: its rows, when the reply is not a list of them. */
  | { readonly kind: 'rows'; readonly reply: Reply; readonly table?: RecordType }
  /** One object, the requested value alone (secret or not), or sentences about a change. */
  | {
      readonly kind: 'object' | 'value' | 'change';
      readonly reply: Reply;
      readonly table?: never;
      /** Data output prints each event when it happens, and no value at the end. */
      readonly events?: true;
    }
  /** The response of the service; a table with the flag of the parameter `tableWith`. */
  | { readonly kind: 'document'; readonly reply: Reply; readonly table: RecordType; readonly tableWith: string }
  /** Text of the command. */
  | { readonly kind: 'text'; readonly reply?: never; readonly table?: never }
  /** The program after `--` prints the output. As data it is `reply`; --where filters the resources by `chosenFrom`. */
  | { readonly kind: 'program'; readonly reply?: Reply; readonly table?: never; readonly filteredBy?: RecordType };

/** The record that --where filters, if it is not the record of the output. */
export function filterRecord(output: Output): RecordType | undefined {
  return output.kind === 'program' ? output.filteredBy : undefined;
}

interface Targets {
  /** The stacks that `-s` may name; several are `-s a,b`, `-s @FILE` and `-s -`. */
  readonly stacks: 'none' | 'one' | 'several';
  /** True when several stacks are changed one after another, each to its end. */
  readonly inTurn: boolean;
  /** Parameters whose arguments name existing resources. */
  readonly named: readonly string[];
  /** True when one run may make several changes. */
  readonly several: boolean;
}

/** Null: the exit code of the program that was run. */
export type Exit = readonly [code: number | null, meaning: string];

/** The declaration from which the metadata is derived. */
export interface Declared<P extends Fields = any> {
  readonly params: P;
  readonly positionals?: readonly (keyof P & string)[];
  readonly calls: readonly Operation[];
  /** The type of its value; absent for plain text. */
  readonly reply?: Reply;
  /** The output, when it does not follow from `calls` and `reply`. */
  readonly output?: Output;
  /** Overrides `on request` of writes and `never` of reads. */
  readonly wait?: 'always' | 'never' | 'its own limits';
  /** The parameter whose flag makes it wait, too. */
  readonly waitsWith?: keyof P & string;
  /** Set when it does not follow from `calls`. */
  readonly changes?: true | ((input: Values<P>) => boolean);
  /** The default is true for a read that needs a stack, and false for a write. */
  readonly severalStacks?: boolean | 'in turn';
  readonly revealed?: readonly string[];
  /** Effects that follow from neither its operations nor its arguments. */
  readonly moreEffects?: readonly CommandEffect[];
  readonly restriction?: Restriction;
  readonly exits?: readonly Exit[];
}

/** Derives the metadata: a write reports its change, a read shows its reply. */
export function metadataOf(declared: Declared): Metadata {
  const { calls, changes = calls.some(writes), wait, exits = [] } = declared;
  const isWrite = changes !== false;
  return {
    calls,
    changes,
    output: outputOf(declared, isWrite),
    wait: wait ?? (isWrite ? 'on request' : 'never'),
    waitsWith: declared.waitsWith,
    targets: targetsOf(declared, isWrite),
    ...(declared.revealed && { revealed: declared.revealed }),
    ...(declared.moreEffects && { moreEffects: declared.moreEffects }),
    ...(declared.restriction && { restriction: declared.restriction }),
    exits,
  };
}

function outputOf({ reply, output }: Declared, isWrite: boolean): Output {
  if (output) return output;
  if (!reply) return { kind: 'text' };
  return { kind: isWrite ? 'change' : outputKind(reply), reply };
}

function outputKind({ envelope }: Reply): 'rows' | 'value' | 'object' {
  if (envelope === 'page' || envelope === 'rows') return 'rows';
  return envelope === 'opaque' || envelope === 'raw' ? 'value' : 'object';
}

function targetsOf(declared: Declared, isWrite: boolean): Targets {
  const { params, positionals = [], wait } = declared;
  const stacks = stacksOf(declared, isWrite);
  const isMany = (name: string) => params[name].kind === 'many' || params[name].commas === true;
  return {
    stacks,
    inTurn: declared.severalStacks === 'in turn',
    named: positionals.filter((name) => namesExisting(params[name])),
    several: isWrite && wait !== 'never' && (stacks === 'several' || positionals.some(isMany)),
  };
}

function stacksOf(declared: Declared, isWrite: boolean): Targets['stacks'] {
  const { params, positionals = [], wait, severalStacks } = declared;
  const [, inStack] =
    Object.entries<Field>(params).find(([name, { target }]) => target === 'stack' && !positionals.includes(name)) ?? [];
  if (!inStack) return 'none';
  const takesSeveral = severalStacks ?? (!isWrite && inStack.presence === 'required');
  return takesSeveral && outputOf(declared, isWrite).reply?.record && (severalStacks || !wait) ? 'several' : 'one';
}

/** Names for completion that may be new or are stored on this machine. */
const onlyOffered: readonly (Names | undefined)[] = [
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

function namesExisting({ names, assigns, target, of }: Field): boolean {
  const offered = names ?? (isField(of) ? of.names : undefined);
  return !onlyOffered.includes(offered) && !assigns && !target;
}
