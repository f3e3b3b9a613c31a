import type { Command, Presentation } from '../contract/command.ts';
import type { Fields, Values } from '../contract/field.ts';
import type { Noun } from '../contract/noun.ts';
import type { Operation } from '../contract/operation.ts';
import { findTarget, type Input } from './find.ts';
import { paramsOf } from './params.ts';
import { script } from './script.ts';

export interface Get<Value> {
  readonly about?: string;
  readonly examples: readonly string[];
  readonly present?: (value: Value) => Presentation;
}

/** Shows one resource, named by its id or its exact name; an argument that is an id already needs no list. */
export function get<Row, P extends Fields, Value>(
  noun: Noun<Row>,
  operation: Operation<P, Value>,
  { about = operation.about, examples, present }: Get<Value>,
): Command {
  return script({
    about,
    examples,
    params: paramsOf(noun, operation),
    positionals: [noun.argument],
    calls: [noun.list, operation],
    reply: operation.reply,
    run: async (context, input: Input) => {
      const { id } = await findTarget(context, noun, input);
      const { [noun.argument]: _, ...typed } = input;
      return context.call(operation, { ...typed, [noun.param]: id } as Values<P>);
    },
    ...(present && { present: (value: Value) => present(value) }),
  });
}
