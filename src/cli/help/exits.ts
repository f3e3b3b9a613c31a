import { type Command, commandWrites } from '../../contract/command.ts';
import type { ExitDescription } from '../../contract/description.ts';
import type { Field } from '../../contract/field.ts';
import { pathNames, writes } from '../../contract/operation.ts';
import { wordsOf } from '../words/arguments.ts';

type Exit = readonly [code: number | null, meaning: string];

/** What exit codes mean for this command in particular, by number; what it declares itself wins. */
export function exitsOf(command: Command): readonly ExitDescription[] {
  const exits = new Map<number | null, string>([...derivedExits(command), ...(command.exits ?? [])]);
  return [...exits]
    .map(([code, meaning]) => ({ code, meaning }))
    .toSorted((one, other) => (one.code ?? Number.POSITIVE_INFINITY) - (other.code ?? Number.POSITIVE_INFINITY));
}

/** True when the command makes several changes, of which some may fail. */
export function changesSeveral(command: Command): boolean {
  const { params, positionals, severalStacks } = command;
  // An entity may be several, with commas.
  const isMany = (name: string) => params[name].kind === 'many' || params[name].names === 'entity';
  return commandWrites(command) && (severalStacks === true || positionals.some(isMany));
}

function derivedExits(command: Command): readonly Exit[] {
  const named = whatIsLookedUp(command);
  const failures = [
    ...(command.confirm ? ['answered No'] : []),
    ...(changesSeveral(command) ? ['some of several changes failed'] : []),
  ];
  return [
    ...(failures.length > 0 ? [[1, failures.join('; ')] as const] : []),
    ...(named.length > 0 ? [[3, `not found, or more than one: ${named.join(', ')}`] as const] : []),
    ...waitingExits(command),
    ...(commandWrites(command) ? [[11, 'sent, and no answer says whether it was done'] as const] : []),
    ...(command.runsProgram ? [[null, 'the exit code of the program'] as const] : []),
  ];
}

function waitingExits(command: Command): readonly Exit[] {
  if (!command.waits && !commandWrites(command)) return [];
  const when = command.waits ? '' : 'with --wait: ';
  return [
    [8, `${when}not over within --wait-timeout, or its end cannot be seen`],
    [9, `${when}it is over and has failed`],
  ];
}

const placeNames = { stack: 'stack', 'server-group': 'server group', account: 'account' } as const;

/** Places, and words that name a thing which is there already. */
function whatIsLookedUp(command: Command): readonly string[] {
  const fields = Object.values<Field>(command.params);
  const places = fields.flatMap(({ place, presence }) => (place && presence === 'required' ? [placeNames[place]] : []));
  const words = wordsOf(command).filter(({ field }, index) => !field.place && namesThing(command, index));
  return [...new Set([...places, ...words.map(({ shown }) => shown.replace(/[<>[\].]/g, ''))])];
}

function namesThing(command: Command, index: number): boolean {
  const { calls, params, positionals } = command;
  const name = positionals[index] ?? '';
  const field: Field = params[name];
  const inPath = calls.flatMap(({ path }) => pathNames(path));
  if (inPath.includes(name)) return true;
  if (calls.length === 0 || field.label?.includes('=') || field.range) return false;
  // It stands for what the address wants, or is looked for in what was read.
  const isWanted = inPath.some((wanted) => !(wanted in params)) && (index === 0 || field.kind !== 'many');
  return isWanted || (index === 0 && !calls.some(writes));
}
