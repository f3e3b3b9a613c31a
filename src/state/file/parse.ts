import { nearest } from '../../errors/nearest.ts';
import { isValidKey } from '../../resources/env.ts';
import { entryPathOf, type SectionName, type StackEntry, type StackFile, sectionNames } from '../entry.ts';
import { type FilePair, type FileValue, Mistakes, readStackDocument } from './document.ts';
import { type RightSide, readCount, readExpression, readTags } from './expression.ts';

const entryKeys = ['env', 'settings', 'servers', 'processes'] as const;
const rootKeys: readonly string[] = ['version', 'stack', 'stacks', ...entryKeys, 'ignore', 'strict'];

/** Parses a stack file; `fileName` is its name in messages. Throws `usage` with all mistakes and their positions. */
export async function parseStackFile(text: string, fileName: string): Promise<StackFile> {
  const mistakes = new Mistakes(fileName);
  const root = await readStackDocument(text, mistakes);
  const pairs = membersOf(root, rootKeys);
  if (root.kind !== 'map') mistakes.throwAll();
  const findMember = (name: string) => pairs.find(({ key }) => key === name);
  const version = findMember('version')?.value;
  if (!version) root.at.addMistake('version is missing; the first line is "version: 1"');
  else if (textOf(version) !== '1') version.at.addMistake('version must be 1');
  const readEntries = (members: readonly FilePair[], stack: string | null): readonly StackEntry[] =>
    [...entriesOf(members)].map(({ line, ...entry }) => ({ ...entry, source: { file: fileName, line, stack } }));
  const baseEntries = readEntries(pairs, null);
  const stackPairs = stackPairsOf(root, findMember('stack'), findMember('stacks'));
  const stacks = stackPairs.map(({ key: name, at: { line }, value }) => {
    const overlayEntries = isEmptyText(value) ? [] : readEntries(membersOf(value, entryKeys), name);
    // An overlay entry replaces the base entry with the same path, at the position of the base entry.
    const entries = new Map([...baseEntries, ...overlayEntries].map((entry) => [entry.path, entry]));
    return { name, line, entries: [...entries.values()] };
  });
  const ignore = readList(findMember('ignore'), readIgnorePattern, expectedPattern);
  const strict = readList(findMember('strict'), readSectionName, `expected a section: ${sectionNames.join(', ')}`);
  mistakes.throwAll();
  return { stacks, ignore, strict };
}

function stackPairsOf(root: FileValue, stack: FilePair | undefined, stacks: FilePair | undefined): readonly FilePair[] {
  if (stack && stacks) stacks.at.addMistake('use stack or stacks, not both');
  if (!stack && !stacks) root.at.addMistake('stack or stacks is missing');
  const pairs = stacks ? [...pairsOf(stacks.value, 'stacks must be a mapping of stack names')] : [];
  if (stacks?.value.kind === 'map' && pairs.length === 0) stacks.at.addMistake('stacks is empty');
  const name = stack?.value;
  if (name?.kind === 'text') pairs.push({ key: name.text, at: name.at, value: { ...name, text: '' } });
  else name?.at.addMistake('stack must be the name of a stack');
  for (const { key, at } of pairs) {
    if (!/^[^\s,*?@-][^\s,*?]*$/.test(key)) at.addMistake('give the exact name of one stack');
  }
  return pairs;
}

type EntryWithLine = Omit<StackEntry, 'source'> & Pick<StackEntry['source'], 'line'>;
type EntryKey = Pick<FilePair, 'key' | 'at'>;
type SectionPart = Pick<StackEntry, 'section' | 'server'>;

function* entriesOf(members: readonly FilePair[]): Generator<EntryWithLine> {
  for (const { key: name, value } of members) {
    if (name === 'env' || name === 'settings') yield* valueEntriesOf(value, { section: name }, name);
    if (name === 'servers') yield* serverEntriesOf(value);
    if (name === 'processes') yield* countEntriesOf(value);
  }
}

function* valueEntriesOf(value: FileValue, part: SectionPart, parentName: string): Generator<EntryWithLine> {
  for (const pair of keyPairsOf(value, parentName)) {
    yield* entryOf(part, pair, readExpression(pair.value, part.section !== 'env'));
  }
}

function* serverEntriesOf(value: FileValue): Generator<EntryWithLine> {
  for (const { key: server, value: members } of serverPairsOf(value, 'servers')) {
    for (const pair of membersOf(members, ['tags', 'settings'])) {
      if (pair.key === 'tags') yield* entryOf({ section: 'tags', server }, pair, readTags(pair.value));
      else yield* valueEntriesOf(pair.value, { section: 'servers', server }, `servers.${server}.settings`);
    }
  }
}

function* countEntriesOf(value: FileValue): Generator<EntryWithLine> {
  for (const { key, value: counts } of keyPairsOf(value, 'processes')) {
    for (const { key: server, at, value: count } of serverPairsOf(counts, `processes.${key}`)) {
      yield* entryOf({ section: 'processes', server }, { key, at }, readCount(count));
    }
  }
}

function* entryOf(part: SectionPart, { key, at }: EntryKey, rightSide?: RightSide): Generator<EntryWithLine> {
  if (rightSide) yield { ...part, path: entryPathOf({ ...part, key }), key, ...rightSide, line: at.line };
}

function keyPairsOf(value: FileValue, name: string): readonly FilePair[] {
  const pairs = isEmptyText(value) ? [] : pairsOf(value, `${name} must be a mapping of keys`);
  for (const { key, at } of pairs) {
    if (!isValidKey(key)) at.addMistake(`${JSON.stringify(key)} is not a valid key`);
  }
  return pairs;
}

function serverPairsOf(value: FileValue, name: string): readonly FilePair[] {
  const pairs = isEmptyText(value) ? [] : pairsOf(value, `${name} must be a mapping of server names or "@role"`);
  for (const { key, at } of pairs) {
    if (key === '' || key === '@') at.addMistake('give the name of a server, or "@" and a role');
  }
  return pairs;
}

function membersOf(value: FileValue, knownKeys: readonly string[]): readonly FilePair[] {
  return pairsOf(value, `expected a mapping with ${knownKeys.join(', ')}`).filter(({ key, at }) => {
    if (knownKeys.includes(key)) return true;
    const guess = nearest(key, knownKeys);
    at.addMistake(`unknown key ${JSON.stringify(key)}${guess === undefined ? '' : `; did you mean ${guess}?`}`);
    return false;
  });
}

function pairsOf(value: FileValue, expected: string): readonly FilePair[] {
  return value.kind === 'map' ? value.pairs : (value.at.addMistake(expected) ?? []);
}

type ReadItem<Item> = (text: string) => Item | undefined;

function readList<Item>(pair: FilePair | undefined, readItem: ReadItem<Item>, expected: string): readonly Item[] {
  if (!pair || isEmptyText(pair.value)) return [];
  const { value, key } = pair;
  if (value.kind !== 'list') return value.at.addMistake(`${key} must be a list`) ?? [];
  return value.items.flatMap((item) => readItem(textOf(item) ?? '') ?? item.at.addMistake(expected) ?? []);
}

const expectedPattern = 'a pattern begins with env., settings., servers., processes.';

function readIgnorePattern(text: string): string | undefined {
  return /^(?:env|settings|servers|processes)\../s.test(text) ? text : undefined;
}

function readSectionName(text: string): SectionName | undefined {
  return sectionNames.find((name) => name === text);
}

function textOf(value: FileValue): string | undefined {
  return value.kind === 'text' ? value.text : undefined;
}

function isEmptyText(value: FileValue): boolean {
  return textOf(value) === '';
}
