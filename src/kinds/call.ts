import type { Audience, Command, Context, Presentation } from '../contract/command.ts';
import type { Output } from '../contract/facts.ts';
import type { Fields, Values } from '../contract/field.ts';
import { type InputOf, type Operation, pathNames, writes } from '../contract/operation.ts';
import { script } from './script.ts';

export interface CallOptions<P extends Fields, V> {
  readonly examples: readonly string[];
  /** Arguments; by default the ids of the path, without places. */
  readonly positionals?: readonly (keyof P & string)[];
  /** What comes out, where the reply of the operation does not tell. */
  readonly output?: Output;
  readonly present?: (value: V, input: Values<P>, audience: Audience) => Presentation;
}

/** A command that is one call of one operation. A list without `present` can also be taken page by page. */
export function call<P extends Fields, V>(
  operation: Operation<P, V>,
  options: CallOptions<NoInfer<P>, NoInfer<V>>,
): Command<P, V> {
  const { about, params, reply } = operation;
  const isList = reply.envelope === 'page' || reply.envelope === 'rows';
  const typed = (input: object) => input as InputOf<Operation<P, V>>;
  return script<Fields, V>({
    about,
    params,
    positionals: idsOf(operation),
    calls: [operation],
    reply,
    ...(options as CallOptions<Fields, V>),
    run: (context, input) => context.call(operation, typed(input), limitOf(context, operation)),
    ...(isList &&
      !options.present && {
        eachPage: (context, input, take) =>
          context.eachPage(operation, typed(input), (rows) => take(rows), limitOf(context, operation)),
      }),
  }) as Command;
}

function limitOf({ limit }: Context, operation: Operation): { readonly limit?: number } {
  return writes(operation) || limit === undefined ? {} : { limit };
}

function idsOf({ path, params }: Operation): readonly string[] {
  return pathNames(path).filter((name) => params[name]?.place === undefined);
}
