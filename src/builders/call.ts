import type { Command, Runs } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import type { Declared } from '../contract/metadata.ts';
import { type InputOf, type Operation, pathNames, writes } from '../contract/operation.ts';
import { commandOf } from './custom-command.ts';

/** The default arguments are the ids of the path, without targets. */
export interface CallSpec<P extends Fields, V>
  extends Pick<Declared<P>, 'positionals' | 'output' | 'revealed'>,
    Pick<Runs<P, V>, 'present'> {
  readonly examples: readonly string[];
}

/** A command that calls one operation. A list without `present` can be printed page by page. */
export function call<P extends Fields, V>(
  operation: Operation<P, V>,
  options: CallSpec<NoInfer<P>, NoInfer<V>>,
): Command<P, V> & { readonly handler: Runs<P, V> } {
  const { about, params, reply } = operation;
  const { present, ...declared } = options as CallSpec<P, V>;
  const isList = reply.envelope === 'page' || reply.envelope === 'rows';
  const args = (input: object) => input as InputOf<Operation<P, V>>;
  const spec = { about, params, positionals: idsOf(operation), calls: [operation], reply, ...declared };
  const handler: Runs<P, V> = {
    kind: 'runs',
    isRead: !writes(operation),
    run: (context, input) => context.call(operation, args(input), { limit: context.limit }),
    eachPage:
      isList && !present
        ? (context, input, take) => context.eachPage(operation, args(input), take, { limit: context.limit })
        : undefined,
    present,
  };
  return { ...commandOf<P, V>(spec, handler), handler };
}

function idsOf({ path, params }: Operation): readonly string[] {
  return pathNames(path).filter((name) => params[name]?.target === undefined);
}
