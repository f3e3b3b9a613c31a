import { type Argument, argumentsOf, type Flag } from '../cli/arguments/arguments.ts';
import { describeCommand, targetOptions } from '../cli/help/describe.ts';
import { optionsAlike, optionsOf } from '../cli/help/help.ts';
import { topicNames } from '../cli/help/topics/topic.ts';
import type { Command } from '../contract/command.ts';
import type { Names } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';
import { outputFormats, showsData } from '../output/view.ts';
import type { Candidate } from './name-cache.ts';
import { lineFlags, partOf, type Slot, slotOf, slotOfFlag, type TypedLine } from './reading.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Prefixes of the resources that can have tags. */
const entityKinds: readonly Candidate[] = bare(['server/', 'loadbalancer/']);

/** Names that need neither a request nor a profile. */
const localNames: readonly Names[] = ['field', 'column', 'sort column', 'method', 'setting', 'preference'];

async function offeredValues(slot: Slot, line: TypedLine): Promise<readonly Candidate[]> {
  const { names, assigns, choices, keywords } = slot;
  if (names === 'field' || names === 'column' || names === 'sort column') return fieldNames(names, line);
  if (names === 'method') return bare(methods);
  if (names === 'setting' || names === 'preference') return settingNamesFor(names, assigns !== undefined);
  return names && assigns ? [] : bare(choices ?? keywords ?? []);
}

async function valuesAssignedTo({ names, assigns = [] }: Slot, key: string): Promise<readonly Candidate[]> {
  if (names !== 'setting' && names !== 'preference') return bare(assigns);
  const { isSettingName, settingTable } = await import('../settings/table.ts');
  const { kind, choices = [] } = isSettingName(key) ? settingTable[key] : {};
  return bare(kind === 'flag' ? ['true', 'false'] : choices);
}

async function fieldNames(names: Slot['names'], { node, given }: TypedLine): Promise<readonly Candidate[]> {
  if (!node.command) return [];
  const { reply, table } = node.command.output;
  const { fieldAt, knownPaths } = await import('../output/field-path.ts');
  const ofData = reply?.record?.fields ?? {};
  const ofTable = table?.fields ?? ofData;
  const format = outputFormats.find((name) => name === given.get('--output'));
  const isData = given.has('--json') || given.has('--jq') || (format && showsData({ format }));
  // --fields chooses columns of a table, unless data is asked for.
  const ofEither = names === 'field' && !format ? { ...ofTable, ...ofData } : ofTable;
  const fields = isData ? ofData : ofEither;
  return knownPaths(fields).map((value) => ({ value, about: fieldAt(fields, value)?.about ?? '' }));
}

async function settingNamesFor(names: 'setting' | 'preference', isSet: boolean): Promise<readonly Candidate[]> {
  const { settingTable } = await import('../settings/table.ts');
  return Object.entries(settingTable).flatMap(([value, { stored, about }]) => {
    // A command that sets a value takes only settings that can be saved.
    const isWanted = stored === 'anywhere' || (names === 'setting' && (!isSet || stored === 'profile'));
    return isWanted ? [{ value, about }] : [];
  });
}

function bare(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}

export interface Offer {
  /** `names`: the candidates here. Otherwise the shell completes files, folders or a program. */
  readonly kind: 'names' | 'files' | 'folders' | 'program';
  /** The part of the current word that is kept, and the part to complete. */
  readonly prefix: string;
  readonly text: string;
  readonly candidates: readonly Candidate[];
  /** True when the argument continues, so no space is added. */
  readonly isOpen: boolean;
  /** The kind of names to request, and those already typed. */
  readonly names?: Names;
  readonly taken: readonly string[];
  /** Characters that would end the item; names that contain one are left out. */
  readonly separators: string;
}

const nothing: Offer = {
  kind: 'names',
  prefix: '',
  text: '',
  candidates: [],
  isOpen: false,
  taken: [],
  separators: '',
};

export async function offerFor(line: TypedLine): Promise<Offer> {
  const { wanted } = line;
  if (wanted.kind === 'program') return { ...nothing, kind: 'program' };
  const { text } = wanted;
  if (wanted.kind === 'option') return { ...nothing, text, candidates: offeredOptions(line, text) };
  if (wanted.kind === 'value') {
    const { option, prefix } = wanted;
    return { ...nothing, prefix, text, ...(await offerOfSlot(slotOfFlag(option), wanted, [], line)) };
  }
  const { node, args, path, isPastOptions } = line;
  const children = args.length === 0 && !isPastOptions ? childrenOf(node, path.length === 0) : [];
  const dashes = mayBeginProgram(line) ? [{ value: '--', about: 'A program follows.' }] : [];
  const own = { ...nothing, text, ...(await offerOfArgument(line, text)) };
  return { ...own, candidates: [...children, ...dashes, ...own.candidates] };
}

/** Candidates after `help`: commands, and topics as first argument. */
export function offerForHelp({ node, path, args, wanted }: TypedLine): Offer {
  if (args.length > 0 || wanted.kind !== 'argument') return nothing;
  const topics = path.length === 0 ? Object.entries(topicNames).map(([value, about]) => ({ value, about })) : [];
  return { ...nothing, text: wanted.text, candidates: [...childrenOf(node, false), ...topics] };
}

function childrenOf({ children }: CommandNode, isRoot: boolean): readonly Candidate[] {
  const help = isRoot ? [{ value: 'help', about: 'Show help on a command or topic.' }] : [];
  return [...[...children.values()].map(({ name, about }) => ({ value: name, about })), ...help];
}

function mayBeginProgram({ node, args }: TypedLine): boolean {
  if (node.command?.output.kind !== 'program') return false;
  const first = argumentsBefore(node)[0];
  return args.length === (first?.required ? 1 : 0) || first?.variadic === true;
}

function argumentsBefore({ command }: CommandNode): readonly Argument[] {
  if (!command) return [];
  return command.output.kind === 'program' ? argumentsOf(command).slice(0, -1) : argumentsOf(command);
}

async function offerOfArgument(line: TypedLine, text: string): Promise<Partial<Offer>> {
  const { node, args } = line;
  const expected = argumentsBefore(node);
  const last = expected.length - 1;
  const at = expected[last]?.variadic ? Math.min(args.length, last) : args.length;
  const argument = expected[at];
  return argument ? offerOfSlot(slotOf(argument.field, false), { prefix: '', text }, args.slice(at), line) : {};
}

async function offerOfSlot(
  slot: Slot,
  { prefix, text }: Pick<Offer, 'prefix' | 'text'>,
  otherWords: readonly string[],
  line: TypedLine,
): Promise<Partial<Offer>> {
  const { names, isList, assigns } = slot;
  if (names === 'file') return { kind: 'files' };
  if (names === 'stack' && isList && text.startsWith('@')) return { kind: 'files', prefix: `${prefix}@` };
  if (names === 'folder') return { kind: 'folders' };
  if (names === 'server path' && /[/.~]/.test(text)) return { kind: 'files' };
  const { key, isKey: isOpen, ...part } = partOf(slot, text);
  const offer = { prefix: prefix + part.prefix, text: part.text, isOpen };
  if (key !== undefined) return { ...offer, candidates: await valuesAssignedTo(slot, key) };
  const given = assigns ? otherWords.map((word) => word.replace(/=.*$/s, '')) : otherWords;
  const taken = [...given, ...part.taken];
  if (names === 'entity' && !part.text.includes('/')) return { ...offer, taken, candidates: entityKinds };
  const separators = `${isList ? ',' : ''}${isOpen ? '=' : ''}`;
  return {
    ...offer,
    taken,
    separators,
    candidates: await offeredValues(slot, line),
    ...(names && !localNames.includes(names) && { names }),
  };
}

function offeredOptions({ node, given, path }: TypedLine, text: string): readonly Candidate[] {
  const free = lineFlags(node.command).filter(({ field, long }) => field.kind === 'many' || !given.has(long));
  const wanted = node.command ? applyingTo(node.command, free) : free;
  // A short flag is offered only once it is typed, so that the shell adds a space.
  const short = wanted.find(({ spellings, long }) => spellings.includes(text) && long !== text);
  if (short) return [{ value: text, about: short.about }];
  const version = path.length === 0 ? [{ value: '--version', about: 'Show the version.' }] : [];
  return [...wanted.map(({ long, about }) => ({ value: long, about })), ...version];
}

function applyingTo(command: Command, options: readonly Flag[]): readonly Flag[] {
  const applying = [...targetOptions(command), ...optionsOf(describeCommand('', command))];
  const everywhere = optionsAlike();
  return options.flatMap((option) => {
    const known = applying.find(({ long }) => long === option.long);
    if (known) return [{ ...option, about: known.about }];
    return 'where' in option && !everywhere.includes(option.long) ? [] : [option];
  });
}
