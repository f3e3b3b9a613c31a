import type { Command, Context, FindStacks, WriteHandler } from '../contract/command.ts';
import type { CommandLine } from '../contract/command-line.ts';
import type { Fields, Values } from '../contract/field.ts';
import type { Plan } from '../contract/plan.ts';
import type { RecordType } from '../contract/record.ts';
import { one, rows } from '../contract/reply.ts';
import { CliError } from '../errors/cli-error.ts';
import { type CommandSpec, commandOf } from './custom-command.ts';

const maxModelValueLength = 200;

/**
 * Throws `forbidden` for a value that `stackops mcp` does not accept. A model may miscopy a long value, and the model's
 * transcript would keep a secret. `byPerson` is the command with which a person sets the value.
 */
export function assertModelMaySet({ isMcpCall }: Context, { name, value, isSecret, byPerson }: ModelValue): void {
  if (!isMcpCall || (!isSecret && value.length <= maxModelValueLength)) return;
  const why = isSecret ? 'is a secret' : `has more than ${maxModelValueLength} characters`;
  const message = `the value of ${name} ${why}; a person must set it`;
  throw new CliError('forbidden', message, { nothing: 'sent', ...(byPerson && { hint: byPerson }) });
}

interface ModelValue {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly byPerson?: CommandLine;
}

type Parts<P extends Fields, E> = Pick<WriteHandler<P, E>, 'edit' | 'showsSeveral'>;
interface WriteSpec<P extends Fields, E> extends Parts<P, E>, Omit<CommandSpec<P>, 'changes' | 'reply' | 'output'> {
  readonly examples: readonly string[];
  /** The record type of the planned changes, made by `changeRecord`. */
  readonly record: RecordType;
  /** True if the result is a list, even of one change. */
  readonly printsList?: true;
  /** Plans the changes. It may be called again after a question, so it only reads. */
  readonly plan: (
    context: Context,
    input: Values<P>,
    edited: NoInfer<E>,
    findStacks: FindStacks | undefined,
  ) => Promise<Plan>;
}

/** For plans unlike `create`, `change`, `act` and `remove`. Write `edit` before `plan`, so its type is inferred. */
export function write<const P extends Fields, E = undefined>(spec: WriteSpec<P, E>): Command<P, undefined> {
  const { edit, plan, record, printsList, showsSeveral } = spec;
  const reply = printsList ? rows(record) : one(record);
  return commandOf<P, undefined>({ ...spec, reply } as CommandSpec<P>, {
    kind: 'writes',
    edit,
    showsSeveral,
    plan: async (context, input, edited, findStacks) => ({
      ...(await plan(context, input, edited as E, findStacks)),
      ...(printsList && { printsList }),
    }),
  });
}
