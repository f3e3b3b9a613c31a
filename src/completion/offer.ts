import { argumentsOf } from '../cli/arguments/arguments.ts';
import { globalOptions, longSpelling, spellings } from '../cli/arguments/options.ts';
import { describeCommand } from '../cli/help/describe.ts';
import { optionsAlike, optionsOf } from '../cli/help/help.ts';
import { topicNames } from '../cli/help/topics/topic-names.ts';
import type { Command } from '../contract/command.ts';
import type { CommandDescription } from '../contract/description.ts';
import type { Names } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';
import { formats, showsData } from '../output/view.ts';
import type { Candidate } from './candidate.ts';
import { choicesOfSetting, entityKinds, fieldNames, methods, settingCandidates } from './known-values.ts';
import { type LineOption, lineOptions } from './line-option.ts';
import type { TypedLine } from './reading.ts';
import { partOf, type Slot, slotOf } from './slot.ts';

/** The candidates at the cursor. */
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

const none = { candidates: [], isOpen: false, taken: [], separators: '' } as const;

/** The candidates at the cursor that need no request. */
export async function offerFor(reading: TypedLine): Promise<Offer> {
  const { wanted } = reading;
  if (wanted.kind === 'program') return { ...none, kind: 'program', prefix: '', text: '' };
  if (wanted.kind === 'option') return { ...none, kind: 'names', prefix: '', ...offeredOptions(reading, wanted.text) };
  if (wanted.kind === 'value') {
    const { prefix, text, option } = wanted;
    return offerOfSlot({ slot: option.slot, prefix, text, taken: [] }, reading);
  }
  return offerOfArgument(reading, wanted.text);
}

/** Candidates after `help`: commands, and topics as first argument. */
export async function offerForHelp({ node, path, args, wanted }: TypedLine): Promise<Offer> {
  const text = wanted.kind === 'argument' ? wanted.text : '';
  if (args.length > 0 || wanted.kind !== 'argument') return { ...none, kind: 'names', prefix: '', text };
  const topics = path.length === 0 ? Object.entries(topicNames).map(([value, about]) => ({ value, about })) : [];
  const candidates = [...childrenOf(node, false), ...topics];
  return { ...none, kind: 'names', prefix: '', text, candidates };
}

async function offerOfArgument(reading: TypedLine, text: string): Promise<Offer> {
  const { node, args, isPastOptions } = reading;
  const children = args.length === 0 && !isPastOptions ? childrenOf(node, reading.path.length === 0) : [];
  const slot = node.command && slotAt(node.command, args.length);
  const own = slot
    ? await offerOfSlot({ slot: slot.slot, prefix: '', text, taken: args.slice(slot.from) }, reading)
    : { ...none, kind: 'names' as const, prefix: '', text };
  const dashes =
    node.command?.output.kind === 'program' && args.length === 0 ? [{ value: '--', about: 'A program follows.' }] : [];
  return { ...own, candidates: [...children, ...dashes, ...own.candidates] };
}

function childrenOf({ children }: CommandNode, isRoot: boolean): readonly Candidate[] {
  const help = isRoot ? [{ value: 'help', about: 'Show help on a command or topic.' }] : [];
  return [...[...children.values()].map(({ name, about }) => ({ value: name, about })), ...help];
}

/** The slot of the argument at this position, and where its list begins. */
function slotAt(command: Command, at: number): { readonly slot: Slot; readonly from: number } | undefined {
  const args = argumentsOf(command);
  const last = args.length - 1;
  const place = args[last]?.variadic ? Math.min(at, last) : at;
  const argument = args[place];
  return argument && { slot: slotOf(argument.field, false), from: place };
}

interface SlotInput {
  readonly slot: Slot;
  readonly prefix: string;
  readonly text: string;
  /** Items of the same list that are already typed. */
  readonly taken: readonly string[];
}

async function offerOfSlot({ slot, prefix, text, taken }: SlotInput, reading: TypedLine): Promise<Offer> {
  if (slot.names === 'file') return { ...none, kind: 'files', prefix, text };
  if (slot.names === 'stack' && slot.isList && text.startsWith('@')) {
    return { ...none, kind: 'files', prefix: `${prefix}@`, text: text.slice(1) };
  }
  if (slot.names === 'folder') return { ...none, kind: 'folders', prefix, text };
  const part = partOf(slot, text);
  const keys = slot.values ? taken.map((word) => word.replace(/=.*$/s, '')) : taken;
  const offer = {
    kind: 'names',
    prefix: prefix + part.prefix,
    text: part.text,
    isOpen: part.isKey,
    taken: [...keys, ...part.taken],
    separators: `${slot.isList ? ',' : ''}${part.isKey ? '=' : ''}`,
  } as const;
  if (part.key !== undefined) return { ...offer, taken: [], candidates: bare(await valuesOf(slot, part.key)) };
  if (slot.names === 'entity' && !part.text.includes('/')) return { ...offer, candidates: bare(entityKinds) };
  const candidates = await known(slot, reading);
  return { ...offer, candidates, ...(slot.names && { names: slot.names }) };
}

/** Candidates that need no request. */
async function known(slot: Slot, { node: { command }, given }: TypedLine): Promise<readonly Candidate[]> {
  if (slot.fields) return command ? fieldNames(command, shownFields(slot.fields, given)) : [];
  if (slot.names === 'method') return bare(methods);
  if (slot.names === 'setting' || slot.names === 'preference')
    return settingCandidates(slot.names, slot.values !== undefined);
  if (slot.flagOfSetting) return bare(await choicesOfSetting(({ flag }) => flag === slot.flagOfSetting));
  return bare(slot.choices ?? []);
}

/** --fields chooses columns of a table, unless data is asked for. */
function shownFields(fields: NonNullable<Slot['fields']>, given: TypedLine['given']): 'data' | 'table' | 'either' {
  const format = formats.find((name) => name === given.get('--output'));
  if (given.has('--json') || given.has('--jq') || (format && showsData({ format }))) return 'data';
  return fields === 'fields' && !format ? 'either' : 'table';
}

async function valuesOf({ names, values = [] }: Slot, key: string): Promise<readonly string[]> {
  const isSetting = names === 'setting' || names === 'preference';
  return isSetting ? choicesOfSetting((_, name) => name === key) : values;
}

function bare(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}

/** Long flags. A short flag is offered only when it is typed, so that the shell adds a space. */
function offeredOptions(
  { node, given, path }: TypedLine,
  text: string,
): { readonly text: string; readonly candidates: readonly Candidate[] } {
  const free = lineOptions(node.command).filter(({ isRepeatable, long }) => isRepeatable || !given.has(long));
  const wanted = node.command ? applyingOptions(free, describeCommand('', node.command)) : free;
  const spelled = wanted.map(({ long, about }) => ({ value: long, about }));
  const short = wanted.find((option) => option.spellings.includes(text) && option.long !== text);
  const version = path.length === 0 ? [{ value: '--version', about: 'Show the version.' }] : [];
  return { text, candidates: short ? [{ value: text, about: short.about }] : [...spelled, ...version] };
}

/** The flags that apply to a command, with their description there. */
function applyingOptions(options: readonly LineOption[], command: CommandDescription): readonly LineOption[] {
  const applying = [...command.places, ...optionsOf(command)];
  const alike = optionsAlike();
  return options.flatMap((option) => {
    const own = applying.find(({ flags }) => spellings(flags).includes(option.long));
    if (own) return [{ ...option, about: own.about }];
    return alike.includes(option.long) || !isGlobal(option.long) ? [option] : [];
  });
}

function isGlobal(long: string): boolean {
  return globalOptions.some((option) => longSpelling(option) === long);
}
