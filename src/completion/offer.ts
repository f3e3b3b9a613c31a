import { type Argument, argumentsOf, type Flag } from '../cli/arguments/arguments.ts';
import { describeCommand, targetOptions } from '../cli/help/describe.ts';
import { flagsOfEveryCommand, optionsOf } from '../cli/help/help.ts';
import { topicNames } from '../cli/help/topics/topic.ts';
import type { Command } from '../contract/command.ts';
import type { NameKind } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';
import { hasDataFormat, outputFormats } from '../output/view.ts';
import type { Candidate } from './name-cache.ts';
import { lineFlags, slotOf, slotOfFlag, splitItem, type TypedLine, type ValueSlot } from './reading.ts';

const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Candidates for the beginning of an ENTITY argument, which names a server or load balancer with tags. */
const entityPrefixes: readonly Candidate[] = plainCandidates(['server/', 'loadbalancer/']);

/** Kinds of names that are known without a request and without a profile. */
const localNameKinds: readonly NameKind[] = ['field', 'column', 'sort column', 'method', 'setting', 'preference'];

async function listValues(slot: ValueSlot, typedLine: TypedLine): Promise<readonly Candidate[]> {
  const { nameKind, assigns, choices, keywords } = slot;
  if (nameKind === 'field' || nameKind === 'column' || nameKind === 'sort column')
    return listFieldNames(slot, typedLine);
  if (nameKind === 'method') return plainCandidates(httpMethods);
  if (nameKind === 'setting' || nameKind === 'preference') return listSettingNames(slot);
  return nameKind && assigns ? [] : plainCandidates(choices ?? keywords ?? []);
}

async function listAssignedValues({ nameKind, assigns = [] }: ValueSlot, key: string): Promise<readonly Candidate[]> {
  if (nameKind !== 'setting' && nameKind !== 'preference') return plainCandidates(assigns);
  const { isSettingName, settingTable } = await import('../settings/table.ts');
  const { kind, choices = [] } = isSettingName(key) ? settingTable[key] : {};
  return plainCandidates(kind === 'flag' ? ['true', 'false'] : choices);
}

async function listFieldNames({ nameKind }: ValueSlot, { node, typedFlags }: TypedLine): Promise<readonly Candidate[]> {
  if (!node.command) return [];
  const { reply, table } = node.command.output;
  const { fieldAt, allFieldPaths } = await import('../output/field-path.ts');
  const dataFields = reply?.record?.fields ?? {};
  const tableFields = table?.fields ?? dataFields;
  const format = outputFormats.find((name) => name === typedFlags.get('--output'));
  const printsData = typedFlags.has('--json') || typedFlags.has('--jq') || (format && hasDataFormat({ format }));
  // Without a format `--fields` may become columns of a table or keys of JSON output, so both are offered.
  const eitherFields = nameKind === 'field' && !format ? { ...tableFields, ...dataFields } : tableFields;
  const fields = printsData ? dataFields : eitherFields;
  return allFieldPaths(fields).map((value) => ({ value, about: fieldAt(fields, value)?.about ?? '' }));
}

async function listSettingNames({ nameKind, assigns }: ValueSlot): Promise<readonly Candidate[]> {
  const { settingTable } = await import('../settings/table.ts');
  return Object.entries(settingTable).flatMap(([value, { stored, about }]) => {
    // Both kinds offer preferences. `setting` adds the settings of profiles and, to show a value, all others.
    const isOffered = stored === 'anywhere' || (nameKind === 'setting' && (!assigns || stored === 'profile'));
    return isOffered ? [{ value, about }] : [];
  });
}

function plainCandidates(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}

export interface Offer {
  /** `names`: the shell offers `candidates`. Otherwise the shell itself completes files, folders or a program. */
  readonly kind: 'names' | 'files' | 'folders' | 'program';
  /** The beginning of the current word, which stays as it was typed. */
  readonly prefix: string;
  /** The rest of the current word, which is completed. */
  readonly text: string;
  readonly candidates: readonly Candidate[];
  /** True when each candidate is a key, which `=` and a value follow, so no space is added. */
  readonly isOpen?: boolean;
  /** The kind of names that must be looked up in addition to `candidates`, if any. */
  readonly nameKind?: NameKind;
  /** Items that are already typed and are not offered again. */
  readonly taken: readonly string[];
  /** Characters that end an item. Names that contain such a character are left out. */
  readonly separators: string;
}

const emptyOffer: Offer = { kind: 'names', prefix: '', text: '', candidates: [], taken: [], separators: '' };

export async function offerFor(typedLine: TypedLine): Promise<Offer> {
  const { atCursor } = typedLine;
  if (atCursor.kind === 'program') return { ...emptyOffer, kind: 'program' };
  const { text } = atCursor;
  if (atCursor.kind === 'option') return { ...emptyOffer, text, candidates: listOptions(typedLine, text) };
  if (atCursor.kind === 'value') {
    const { option, prefix } = atCursor;
    return { ...emptyOffer, prefix, text, ...(await offerOfSlot(slotOfFlag(option), atCursor, typedLine)) };
  }
  const { node, args, path, isPastOptions } = typedLine;
  const childCandidates = args.length === 0 && !isPastOptions ? childCandidatesOf(node, path.length === 0) : [];
  const programMark = mayBeginProgram(typedLine) ? [{ value: '--', about: 'A program follows.' }] : [];
  const argumentOffer = { ...emptyOffer, text, ...(await offerOfArgument(typedLine, text)) };
  return { ...argumentOffer, candidates: [...childCandidates, ...programMark, ...argumentOffer.candidates] };
}

export function offerForHelp({ node, path, args, atCursor }: TypedLine): Offer {
  if (args.length > 0 || atCursor.kind !== 'argument') return emptyOffer;
  const topics = path.length === 0 ? Object.entries(topicNames).map(([value, about]) => ({ value, about })) : [];
  return { ...emptyOffer, text: atCursor.text, candidates: [...childCandidatesOf(node, false), ...topics] };
}

function childCandidatesOf({ children }: CommandNode, isRoot: boolean): readonly Candidate[] {
  const helpCandidates = isRoot ? [{ value: 'help', about: 'Show help on a command or topic.' }] : [];
  return [...[...children.values()].map(({ name, about }) => ({ value: name, about })), ...helpCandidates];
}

function mayBeginProgram({ node, args }: TypedLine): boolean {
  if (node.command?.output.kind !== 'program') return false;
  const firstArgument = argumentsBeforeProgram(node)[0];
  return args.length === (firstArgument?.required ? 1 : 0) || firstArgument?.variadic === true;
}

function argumentsBeforeProgram({ command }: CommandNode): readonly Argument[] {
  if (!command) return [];
  return command.output.kind === 'program' ? argumentsOf(command).slice(0, -1) : argumentsOf(command);
}

async function offerOfArgument(typedLine: TypedLine, text: string): Promise<Partial<Offer>> {
  const { node, args } = typedLine;
  const expectedArguments = argumentsBeforeProgram(node);
  const lastIndex = expectedArguments.length - 1;
  const index = expectedArguments[lastIndex]?.variadic ? Math.min(args.length, lastIndex) : args.length;
  const argument = expectedArguments[index];
  const word = { prefix: '', text, otherWords: args.slice(index) };
  return argument ? offerOfSlot(slotOf(argument.field, false), word, typedLine) : {};
}

interface WordAtCursor extends Pick<Offer, 'prefix' | 'text'> {
  /** The words of the same argument that are already typed. */
  readonly otherWords?: readonly string[];
}

async function offerOfSlot(slot: ValueSlot, word: WordAtCursor, typedLine: TypedLine): Promise<Partial<Offer>> {
  const { nameKind, isList, assigns } = slot;
  const { prefix, text, otherWords = [] } = word;
  if (nameKind === 'file') return { kind: 'files' };
  if (nameKind === 'stack' && isList && text.startsWith('@')) return { kind: 'files', prefix: `${prefix}@` };
  if (nameKind === 'folder') return { kind: 'folders' };
  if (nameKind === 'server path' && /[/.~]/.test(text)) return { kind: 'files' };
  const { key, ...part } = splitItem(slot, text);
  const isOpen = assigns !== undefined && key === undefined;
  const offer = { prefix: prefix + part.prefix, text: part.text, isOpen };
  if (key !== undefined) return { ...offer, candidates: await listAssignedValues(slot, key) };
  const typedItems = assigns ? otherWords.map((one) => one.replace(/=.*$/s, '')) : otherWords;
  const taken = [...typedItems, ...part.taken];
  if (nameKind === 'entity' && !part.text.includes('/')) return { ...offer, taken, candidates: entityPrefixes };
  return {
    ...offer,
    taken,
    separators: `${isList ? ',' : ''}${isOpen ? '=' : ''}`,
    candidates: await listValues(slot, typedLine),
    ...(nameKind && !localNameKinds.includes(nameKind) && { nameKind }),
  };
}

function listOptions({ node, typedFlags, path }: TypedLine, text: string): readonly Candidate[] {
  const flags = lineFlags(node.command).filter(({ field, long }) => field.kind === 'many' || !typedFlags.has(long));
  const offeredFlags = node.command ? flagsInEffect(node.command, flags) : flags;
  // A typed short flag is the only candidate, so that the shell adds a space.
  const shortFlag = offeredFlags.find(({ spellings, long }) => spellings.includes(text) && long !== text);
  if (shortFlag) return [{ value: text, about: shortFlag.about }];
  const versionCandidates = path.length === 0 ? [{ value: '--version', about: 'Show the version.' }] : [];
  return [...offeredFlags.map(({ long, about }) => ({ value: long, about })), ...versionCandidates];
}

function flagsInEffect(command: Command, flags: readonly Flag[]): readonly Flag[] {
  const applicableOptions = [...targetOptions(command), ...optionsOf(describeCommand('', command))];
  const commonFlags = flagsOfEveryCommand();
  return flags.flatMap((flag) => {
    const describedFlag = applicableOptions.find(({ long }) => long === flag.long);
    if (describedFlag) return [{ ...flag, about: describedFlag.about }];
    return 'group' in flag && !commonFlags.includes(flag.long) ? [] : [flag];
  });
}
