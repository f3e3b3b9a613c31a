import { type Command, commandWrites } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';

/** True when the command acts on a stack that is given by `-s`. */
export function takesStack({ params, positionals }: Command): boolean {
  return Object.entries<Field>(params).some(
    ([name, { place, presence }]) => place === 'stack' && presence === 'required' && !positionals.includes(name),
  );
}

/** True when the command may act on several stacks at once: `-s a,b` and --stacks-file. */
export function takesSeveralStacks(command: Command): boolean {
  if (!takesStack(command) || !command.reply?.record || command.runsProgram || command.waits) return false;
  return !commandWrites(command) || command.severalStacks === true;
}
