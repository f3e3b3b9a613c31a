import type { Command, Context, Runs } from '../contract/command.ts';
import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { orWord } from '../resources/shared.ts';

type Find = (context: Context, stack_id: string) => Promise<{ readonly id: number | null }>;

/** The same command, which takes the word `latest` for the ID that is its first argument. */
export function orLatest(command: Command, list: Operation, find: Find): Command {
  const [name = ''] = command.positionals;
  const { run, eachPage, ...does } = command.handler as Runs;
  const known = async (context: Context, input: Input) =>
    input[name] === 'latest' ? { ...input, [name]: (await find(context, String(input['stack_id']))).id } : input;
  return {
    ...command,
    params: { ...command.params, [name]: orWord(command.params[name], 'latest') },
    calls: [list, ...command.calls],
    handler: {
      ...does,
      run: async (context, input) => run(context, await known(context, input)),
      eachPage: eachPage && (async (context, input, take) => eachPage(context, await known(context, input), take)),
    },
  };
}
