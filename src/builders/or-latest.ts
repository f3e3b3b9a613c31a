import type { Command, Context, Runs } from '../contract/command.ts';
import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { orWord } from '../resources/shared.ts';

type Find = (context: Context, stack_id: string) => Promise<{ readonly id: number | null }>;

/** Lets a command take `latest` in place of the ID in its first argument. */
export function orLatest(command: Command, list: Operation, find: Find): Command {
  const [name = ''] = command.positionals;
  const { run, eachPage, ...handler } = command.handler as Runs;
  const known = async (context: Context, input: Input) =>
    input[name] === 'latest' ? { ...input, [name]: (await find(context, String(input['stack_id']))).id } : input;
  return {
    ...command,
    params: { ...command.params, [name]: orWord(command.params[name], 'latest') },
    calls: [list, ...command.calls],
    handler: {
      ...handler,
      run: async (context, input) => run(context, await known(context, input)),
      eachPage: eachPage && (async (context, input, take) => eachPage(context, await known(context, input), take)),
    },
  };
}
