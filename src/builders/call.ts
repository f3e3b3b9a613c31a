import type { Command, Runs } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import type { Declared } from '../contract/metadata.ts';
import { type InputOf, type Operation, pathNames, writes } from '../contract/operation.ts';
import { commandOf } from './custom-command.ts';

/** The options of `call`. By default the positional arguments are the ids in the path, except the targets. */
export interface CallSpec<P extends Fields, V>
  extends Pick<Declared<P>, 'positionals' | 'output' | 'revealed'>,
    Pick<Runs<P, V>, 'present'> {
  readonly examples: readonly string[];
}

/** Returns a command that calls one operation. A list without `present` can be printed page by page. */
export function call<P extends Fields, V>(
  operation: Operation<P, V>,
  options: CallSpec<NoInfer<P>, NoInfer<V>>,
): Command<P, V> & { readonly handler: Runs<P, V> } {
  const { about, params, reply } = operation;
  const { present, ...declared } = options as CallSpec<P, V>;
  const isList = reply.envelope === 'page' || reply.envelope === 'rows';
  const asArgs = (input: object) => input as InputOf<Operation<P, V>>;
  const spec = { about, params, positionals: idNamesOf(operation), calls: [operation], reply, ...declared };
  const handler: Runs<P, V> = {
    kind: 'runs',
    isRead: !writes(operation),
    run: (context, input) => context.call(operation, asArgs(input), { limit: context.limit }),
    eachPage:
      isList && !present
        ? (context, input, take) => context.eachPage(operation, asArgs(input), take, { limit: context.limit })
        : undefined,
    present,
  };
  return { ...commandOf<P, V>(spec, handler), handler };
}

function idNamesOf({ path, params }: Operation): readonly string[] {
  return pathNames(path).filter((name) => params[name]?.target === undefined);
}
