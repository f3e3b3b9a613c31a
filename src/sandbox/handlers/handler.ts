import type { InputOf, Operation, ReplyOf } from '../../contract/operation.ts';
import type { Catalogue } from '../../resources/index.ts';
import type { SandboxWorld } from '../world.ts';

/** The effect of an operation; lists are returned whole and split into pages later. */
export type Handler<O extends Operation> = (world: SandboxWorld, input: InputOf<O>) => ReplyOf<O>;

/** One handler for each operation of a noun. */
export type HandlersOf<Noun extends keyof Catalogue> = {
  readonly [Verb in keyof Catalogue[Noun]]: Catalogue[Noun][Verb] extends Operation
    ? Handler<Catalogue[Noun][Verb]>
    : never;
};

/** All of them: an operation without a handler does not compile. */
export type Handlers = { readonly [Noun in keyof Catalogue]: HandlersOf<Noun> };
