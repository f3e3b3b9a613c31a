import type { Command, Context, Presentation, RunHandler } from '../contract/command.ts';
import type { Fields, Input, Values } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { allowKeywords } from '../contract/params.ts';
import type { ResourceType } from '../contract/resource.ts';
import { commandOf } from './custom-command.ts';
import { findTarget } from './resource/find.ts';
import { argsOf, paramsOf } from './resource/row.ts';

interface GetSpec<Value> {
  readonly examples: readonly string[];
  readonly present?: (value: Value) => Presentation;
  /** Adds values that only human-readable output shows. JSON output prints the value as the service sent it. */
  readonly addDisplayValues?: (context: Context, value: Value) => Promise<Value>;
}

/** Returns a command that shows one resource by its id or exact name. The list is read only for a name. */
export function get<Row, P extends Fields, Value>(
  resource: ResourceType<Row>,
  operation: Operation<P, Value>,
  { examples, present, addDisplayValues = async (_, value) => value }: GetSpec<Value>,
): Command {
  const { about, reply } = operation;
  const params = paramsOf(resource, operation);
  const spec = { about, examples, params, positionals: [resource.argument], calls: [resource.list, operation], reply };
  return commandOf(spec, {
    kind: 'runs',
    isRead: true,
    run: async (context, input: Input) => {
      const { id } = await findTarget(context, resource, input);
      const args = { ...argsOf(operation, input), [resource.param]: id } as Values<P>;
      return addDisplayValues(context, (await context.call(operation, args)) as Value);
    },
    present,
  });
}

type FindLatest = (context: Context, stack_id: string) => Promise<{ readonly id: number | null }>;

/** Returns the command with `latest` allowed in place of the ID, its first argument. `findLatest` calls `list`. */
export function allowLatest(command: Command, list: Operation, findLatest: FindLatest): Command {
  const [name = ''] = command.positionals;
  const { run, eachPage, ...handler } = command.handler as RunHandler;
  const withId = async (context: Context, input: Input) =>
    input[name] === 'latest' ? { ...input, [name]: (await findLatest(context, String(input['stack_id']))).id } : input;
  return {
    ...command,
    params: { ...command.params, [name]: allowKeywords(command.params[name], 'latest') },
    calls: [list, ...command.calls],
    handler: {
      ...handler,
      run: async (context, input) => run(context, await withId(context, input)),
      eachPage: eachPage && (async (context, input, take) => eachPage(context, await withId(context, input), take)),
    },
  };
}
