import type { Command, RunHandler } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import type { CommandDeclaration } from '../contract/metadata.ts';
import { type InputOf, isWriteOperation, type Operation, pathParamNames } from '../contract/operation.ts';
import { isListReply } from '../contract/reply.ts';
import { commandOf } from './custom-command.ts';

/** The options of `call`. By default the positional arguments are the ids in the path, except the targets. */
export interface CallSpec<P extends Fields, V>
  extends Pick<CommandDeclaration<P>, 'positionals' | 'output' | 'revealed'>,
    Pick<RunHandler<P, V>, 'present'> {
  readonly examples: readonly string[];
}

/** Returns a command that calls one operation. A list without `present` can be printed page by page. */
export function call<P extends Fields, V>(
  operation: Operation<P, V>,
  options: CallSpec<NoInfer<P>, NoInfer<V>>,
): Command<P, V> & { readonly handler: RunHandler<P, V> } {
  const { about, params, reply } = operation;
  const { present, ...declared } = options as CallSpec<P, V>;
  const asArgs = (input: object) => input as InputOf<Operation<P, V>>;
  const positionals = pathParamNames(operation.path).filter((name) => params[name]?.target === undefined);
  const spec = { about, params, positionals, calls: [operation], reply, ...declared };
  const handler: RunHandler<P, V> = {
    kind: 'runs',
    isRead: !isWriteOperation(operation),
    run: (context, input) => context.call(operation, asArgs(input), { limit: context.limit }),
    eachPage:
      isListReply(reply) && !present
        ? (context, input, take) => context.eachPage(operation, asArgs(input), take, { limit: context.limit })
        : undefined,
    present,
  };
  return { ...commandOf<P, V>(spec, handler), handler };
}
