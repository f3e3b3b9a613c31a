import { type Command, commandWrites } from '../../contract/command.ts';
import type { ExitDescription } from '../../contract/description.ts';
import type { Exit } from '../../contract/facts.ts';
import type { Field } from '../../contract/field.ts';
import { argumentsOf } from '../arguments/arguments.ts';

/** What exit codes mean for this command in particular, by number; what it declares itself wins. */
export function exitsOf(command: Command): readonly ExitDescription[] {
  const exits = new Map<number | null, string>([...derivedExits(command), ...command.exits]);
  return [...exits]
    .map(([code, meaning]) => ({ code, meaning }))
    .toSorted((one, other) => (one.code ?? Number.POSITIVE_INFINITY) - (other.code ?? Number.POSITIVE_INFINITY));
}

function derivedExits(command: Command): readonly Exit[] {
  const named = lookedUpNames(command);
  const failures = [
    ...(command.confirm ? ['cancelled'] : []),
    ...(command.targets.several ? ['some of several changes failed'] : []),
  ];
  return [
    ...(failures.length > 0 ? [[1, failures.join('; ')] as const] : []),
    ...(named.length > 0 ? [[3, `not found or ambiguous: ${named.join(', ')}`] as const] : []),
    ...waitingExits(command),
    ...(commandWrites(command) ? [[11, 'outcome unknown: the request was sent, no response'] as const] : []),
    ...(command.output.kind === 'program' ? [[null, 'the exit code of the program'] as const] : []),
  ];
}

function waitingExits(command: Command): readonly Exit[] {
  if (command.wait === 'never') return [];
  const when = command.wait === 'always' ? '' : 'with --wait: ';
  return [
    [8, `${when}not finished within --wait-timeout, or result not seen`],
    [9, `${when}the operation failed`],
  ];
}

const placeNames = { stack: 'stack', 'server-group': 'server group', account: 'account' } as const;

/** Places, and arguments that name what is there already. */
function lookedUpNames(command: Command): readonly string[] {
  const fields = Object.values<Field>(command.params);
  const places = fields.flatMap(({ place, presence }) => (place && presence === 'required' ? [placeNames[place]] : []));
  const args = argumentsOf(command).filter(({ name }) => command.targets.named.includes(name));
  return [...new Set([...places, ...args.map(({ label }) => label)])];
}
