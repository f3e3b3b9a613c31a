import type { Command, Runs } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import type { Declared } from '../contract/metadata.ts';
import { type InputOf, type Operation, pathNames, writes } from '../contract/operation.ts';
import { commandOf } from './command.ts';

/** The arguments are by default the ids of the path, without places. */
export interface CallSpec<P extends Fields, V>
  extends Pick<Declared<P>, 'positionals' | 'output' | 'given'>,
    Pick<Runs<P, V>, 'present'> {
  readonly examples: readonly string[];
}

/** A command that is one call of one operation. A list without `present` can also be taken page by page. */
export function call<P extends Fields, V>(
  operation: Operation<P, V>,
  options: CallSpec<NoInfer<P>, NoInfer<V>>,
): Command<P, V> & { readonly handler: Runs<P, V> } {
  const { about, params, reply } = operation;
  const { examples, positionals = idsOf(operation), output, given, present } = options as CallSpec<P, V>;
  const isList = reply.envelope === 'page' || reply.envelope === 'rows';
  const typed = (input: object) => input as InputOf<Operation<P, V>>;
  const spec = {
    about,
    params,
    positionals,
    examples,
    calls: [operation],
    reply,
    ...(output && { output }),
    ...(given && { given }),
  };
  const handler: Runs<P, V> = {
    kind: 'runs',
    isRead: !writes(operation),
    run: (context, input) => context.call(operation, typed(input), { limit: context.limit }),
    eachPage:
      isList && !present
        ? (context, input, take) => context.eachPage(operation, typed(input), take, { limit: context.limit })
        : undefined,
    present,
  };
  return { ...commandOf<P, V>(spec, handler), handler };
}

function idsOf({ path, params }: Operation): readonly string[] {
  return pathNames(path).filter((name) => params[name]?.target === undefined);
}
