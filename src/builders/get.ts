import type { Command, Context, Presentation } from '../contract/command.ts';
import type { Fields, Input, Values } from '../contract/field.ts';
import type { Noun } from '../contract/resource-type.ts';
import type { Operation } from '../contract/operation.ts';
import { commandOf } from './command.ts';
import { findTarget } from './resource/find.ts';
import { paramsOf } from './resource/params.ts';

interface GetSpec<Value> {
  readonly examples: readonly string[];
  readonly present?: (value: Value) => Presentation;
  /** Reads what people are to see of it besides; as JSON the value stays what was sent. */
  readonly complete?: (context: Context, value: Value) => Promise<Value>;
}

/** Shows one resource, named by its id or its exact name; an argument that is an id already needs no list. */
export function get<Row, P extends Fields, Value>(
  noun: Noun<Row>,
  operation: Operation<P, Value>,
  { examples, present, complete = async (_, value) => value }: GetSpec<Value>,
): Command {
  const spec = {
    about: operation.about,
    examples,
    params: paramsOf(noun, operation),
    positionals: [noun.argument],
    calls: [noun.list, operation],
    reply: operation.reply,
  };
  return commandOf(spec, {
    kind: 'runs',
    isRead: true,
    run: async (context, input: Input) => {
      const { id } = await findTarget(context, noun, input);
      const { [noun.argument]: _, ...typed } = input;
      return complete(context, (await context.call(operation, { ...typed, [noun.param]: id } as Values<P>)) as Value);
    },
    present,
  });
}
