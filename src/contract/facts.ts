import { type Field, type Fields, isField, type Names, type Values } from './field.ts';
import { type Operation, writes } from './operation.ts';
import type { RecordType } from './record.ts';
import type { Reply } from './reply.ts';

/** What a command says about itself, besides its words: everything that reads a command reads these. */
export interface Facts {
  readonly service: Service;
  readonly output: Output;
  /** Whether it watches until an operation has ended: with --wait (every write), without it too, or never. */
  readonly wait: 'never' | 'on request' | 'always';
  readonly targets: Targets;
  /** Exit codes whose meaning no other fact gives. */
  readonly exits: readonly Exit[];
}

/** What a command does at the service: nothing, calls of these operations, or what is decided as it runs. */
export type Service =
  | 'local'
  | {
      readonly calls: readonly Operation[];
      /** A function where it depends on the input. */
      readonly changes: boolean | ((input: any) => boolean);
    };

/** What comes out. The shape of `reply` holds for JSON and --fields, and for columns where there is no `table`. */
export type Output =
  /** `table`: its rows, where the reply is no list of them. */
  | { readonly kind: 'rows'; readonly reply: Reply; readonly table?: RecordType }
  /** One object, the bare value that was asked for, secret or not, or sentences about what was done. */
  | { readonly kind: 'object' | 'value' | 'change'; readonly reply: Reply; readonly table?: never }
  /** Whatever the service answers; rows with the flag of the parameter `tableWith`. */
  | { readonly kind: 'document'; readonly reply: Reply; readonly table: RecordType; readonly tableWith: string }
  /** Text of our own, or what the program prints that stands after `--`. */
  | { readonly kind: 'text' | 'program'; readonly reply?: never; readonly table?: never };

/** What a command acts on. */
export interface Targets {
  /** How many stacks `-s` may name; several are `-s a,b`, `-s @FILE` and `-s -`. */
  readonly stacks: 'none' | 'one' | 'several';
  /** Arguments that name what is there already, by their parameters. */
  readonly named: readonly string[];
  /** One run may make several changes, and some of them may fail. */
  readonly several: boolean;
}

/** Null is the exit code of a program that was run. */
export type Exit = readonly [code: number | null, meaning: string];

/** What a command declares, for its facts to be derived from. */
export interface Declared<P extends Fields = any> {
  readonly params: P;
  readonly positionals?: readonly (keyof P & string)[];
  readonly calls: readonly Operation[];
  /** Shape of its value; absent for plain text. */
  readonly reply?: Reply;
  /** What comes out, where it does not follow from `calls` and `reply`. */
  readonly output?: Output;
  /** Watches something until it ends, without --wait. */
  readonly wait?: 'always';
  /** Whether this input changes something at the service, where it does not follow from `calls`. */
  readonly changes?: (input: Values<P>) => boolean;
  /** A write that may be done to several stacks at once; reads always may. */
  readonly severalStacks?: true;
  readonly exits?: readonly Exit[];
}

/** The facts that follow from a declaration: a write says what it did, and a read shows its reply. */
export function factsOf(declared: Declared): Facts {
  const { calls, changes = calls.some(writes), wait, exits = [] } = declared;
  const isWrite = changes !== false;
  return {
    service: { calls, changes },
    output: outputOf(declared, isWrite),
    wait: wait ?? (isWrite ? 'on request' : 'never'),
    targets: targetsOf(declared, isWrite),
    exits,
  };
}

function outputOf({ reply, output }: Declared, isWrite: boolean): Output {
  if (output) return output;
  if (!reply) return { kind: 'text' };
  return { kind: isWrite ? 'change' : kindOf(reply), reply };
}

function kindOf({ envelope }: Reply): 'rows' | 'value' | 'object' {
  if (envelope === 'page' || envelope === 'rows') return 'rows';
  return envelope === 'opaque' || envelope === 'raw' ? 'value' : 'object';
}

function targetsOf(declared: Declared, isWrite: boolean): Targets {
  const { params, positionals = [] } = declared;
  const stacks = stacksOf(declared, isWrite);
  const isMany = (name: string) => params[name].kind === 'many' || params[name].commas === true;
  return {
    stacks,
    named: positionals.filter((name) => namesExisting(params[name])),
    several: isWrite && (stacks === 'several' || positionals.some(isMany)),
  };
}

function stacksOf(declared: Declared, isWrite: boolean): Targets['stacks'] {
  const { params, positionals = [], wait, severalStacks } = declared;
  const isPlaced = Object.entries<Field>(params).some(
    ([name, { place, presence }]) => place === 'stack' && presence === 'required' && !positionals.includes(name),
  );
  if (!isPlaced) return 'none';
  const takesSeveral = severalStacks ?? !isWrite;
  return takesSeveral && outputOf(declared, isWrite).reply?.record && !wait ? 'several' : 'one';
}

/** Names that are offered, of what may be something new or lies on this machine. */
const onlyOffered: readonly (Names | undefined)[] = [
  'tag',
  'method',
  'file',
  'folder',
  'profile',
  'setting',
  'preference',
  undefined,
];

/** True for an argument that names what the service has, and not what something new is to be called. */
function namesExisting({ names, assigns, place, of }: Field): boolean {
  const offered = names ?? (isField(of) ? of.names : undefined);
  return !onlyOffered.includes(offered) && !assigns && !place;
}
