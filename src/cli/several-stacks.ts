import { type Command, commandWrites } from '../contract/command.ts';
import type { Field } from '../contract/field.ts';

/** True when the command may act on several stacks at once: `-s a,b` and --stacks-file. */
export function takesSeveralStacks(command: Command): boolean {
  const isPlaced = Object.entries<Field>(command.params).some(
    ([name, { place, presence }]) =>
      place === 'stack' && presence === 'required' && !command.positionals.includes(name),
  );
  if (!isPlaced || !command.reply?.record || command.runsProgram || command.waits) return false;
  return !commandWrites(command) || command.severalStacks === true;
}
