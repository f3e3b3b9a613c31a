import { nearest } from '../../errors/nearest.ts';
import { isValidKey } from '../../resources/env.ts';
import { entryPathOf, type SectionName, type StackEntry, type StackFile, sectionNames } from '../entry.ts';
import { type FilePair, type FileValue, Mistakes, readStackDocument } from './document.ts';
import { readCount, readExpression, readTags } from './expression.ts';

const entryKeys = ['env', 'settings', 'servers', 'processes'] as const;
const rootKeys: readonly string[] = ['version', 'stack', 'stacks', ...entryKeys, 'ignore', 'strict'];

/** Parses a stack file; `source` is its name in messages. Throws `usage` with all mistakes and their positions. */
export async function parseStackFile(text: string, source: string): Promise<StackFile> {
  const mistakes = new Mistakes(source);
  const root = (await readStackDocument(text, mistakes)) ?? { kind: 'map', at: { line: 1, column: 1 }, pairs: [] };
  const pairs = membersOf(root, rootKeys, mistakes);
  if (root.kind !== 'map') mistakes.throwAll();
  const findMember = (name: string) => pairs.find(({ key }) => key === name);
  checkVersion(root, findMember('version'), mistakes);
  const readEntries = (members: readonly FilePair[], stack: string | null): readonly StackEntry[] =>
    [...entriesOf(members, mistakes)].map(({ line, ...entry }) => ({
      ...entry,
      source: { file: source, line, stack },
    }));
  const baseEntries = readEntries(pairs, null);
  const stacks = stackPairsOf(root, findMember('stack'), findMember('stacks'), mistakes).map(
    ({ key: name, at, value }) => {
      const overlayEntries = isEmpty(value) ? [] : readEntries(membersOf(value, entryKeys, mistakes), name);
      // An overlay entry replaces the base entry with the same path, at the position of the base entry.
      const entries = new Map([...baseEntries, ...overlayEntries].map((entry) => [entry.path, entry]));
      return { name, line: at.line, entries: [...entries.values()] };
    },
  );
  const ignore = listItemsOf(findMember('ignore'), mistakes).flatMap((value) => readIgnorePattern(value, mistakes));
  const strict = listItemsOf(findMember('strict'), mistakes).flatMap((value) => readSection(value, mistakes));
  mistakes.throwAll();
  return { stacks, ignore, strict };
}

function checkVersion(root: FileValue, version: FilePair | undefined, mistakes: Mistakes): void {
  if (!version) mistakes.add(root.at, 'version is missing; the first line is "version: 1"');
  else if (textOf(version.value) !== '1') mistakes.add(version.value.at, 'version must be 1');
}

function stackPairsOf(
  root: FileValue,
  stack: FilePair | undefined,
  stacks: FilePair | undefined,
  mistakes: Mistakes,
): readonly FilePair[] {
  if (stack && stacks) mistakes.add(stacks.at, 'use stack or stacks, not both');
  if (!stack && !stacks) mistakes.add(root.at, 'stack or stacks is missing');
  const name = stack && textOf(stack.value);
  if (stack && name === undefined) mistakes.add(stack.value.at, 'stack must be the name of a stack');
  const singleStack = name === undefined ? [] : [{ key: name, at: stack?.value.at ?? root.at, value: emptyValue }];
  const severalStacks = stacks ? pairsOf(stacks.value, 'stacks must be a mapping of stack names', mistakes) : [];
  if (stacks && severalStacks.length === 0 && stacks.value.kind === 'map') mistakes.add(stacks.at, 'stacks is empty');
  for (const { key, at } of [...singleStack, ...severalStacks]) {
    if (!/^[^\s,*?@-][^\s,*?]*$/.test(key)) mistakes.add(at, 'give the exact name of one stack');
  }
  return [...singleStack, ...severalStacks];
}

const emptyValue: FileValue = { kind: 'text', at: { line: 1, column: 1 }, text: '' };

type EntryWithLine = Omit<StackEntry, 'source'> & Pick<StackEntry['source'], 'line'>;

function* entriesOf(members: readonly FilePair[], mistakes: Mistakes): Generator<EntryWithLine> {
  for (const { key: name, value } of members) {
    if (name === 'env' || name === 'settings') yield* valueEntriesOf(value, { section: name, parent: name }, mistakes);
    if (name === 'servers') yield* serverEntriesOf(value, mistakes);
    if (name === 'processes') yield* countEntriesOf(value, mistakes);
  }
}

function* valueEntriesOf(
  value: FileValue,
  { parent, ...parts }: Pick<StackEntry, 'section' | 'server'> & { readonly parent: string },
  mistakes: Mistakes,
): Generator<EntryWithLine> {
  for (const pair of keyPairsOf(value, parent, mistakes)) {
    yield* entryOf(parts, pair, readExpression(pair.value, mistakes, parts.section !== 'env'));
  }
}

function* serverEntriesOf(value: FileValue, mistakes: Mistakes): Generator<EntryWithLine> {
  for (const { key: server, value: members } of serverPairs(value, 'servers', mistakes)) {
    for (const pair of membersOf(members, ['tags', 'settings'], mistakes)) {
      if (pair.key === 'tags') yield* entryOf({ section: 'tags', server }, pair, readTags(pair.value, mistakes));
      else {
        const parts = { section: 'servers', server, parent: `servers.${server}.settings` } as const;
        yield* valueEntriesOf(pair.value, parts, mistakes);
      }
    }
  }
}

function* countEntriesOf(value: FileValue, mistakes: Mistakes): Generator<EntryWithLine> {
  for (const { key, value: counts } of keyPairsOf(value, 'processes', mistakes)) {
    for (const { key: server, at, value: count } of serverPairs(counts, `processes.${key}`, mistakes)) {
      yield* entryOf({ section: 'processes', server }, { key, at }, readCount(count, mistakes));
    }
  }
}

function* entryOf(
  parts: Pick<StackEntry, 'section' | 'server'>,
  { key, at }: Pick<FilePair, 'key' | 'at'>,
  rightSide: Pick<StackEntry, 'expression' | 'allow_empty'> | undefined,
): Generator<EntryWithLine> {
  if (rightSide) yield { ...parts, path: entryPathOf({ ...parts, key }), key, ...rightSide, line: at.line };
}

function keyPairsOf(value: FileValue, name: string, mistakes: Mistakes): readonly FilePair[] {
  const pairs = isEmpty(value) ? [] : pairsOf(value, `${name} must be a mapping of keys`, mistakes);
  for (const { key, at } of pairs) {
    if (!isValidKey(key)) mistakes.add(at, `${JSON.stringify(key)} is not a valid key`);
  }
  return pairs;
}

function serverPairs(value: FileValue, name: string, mistakes: Mistakes): readonly FilePair[] {
  const pairs = isEmpty(value) ? [] : pairsOf(value, `${name} must be a mapping of server names or "@role"`, mistakes);
  for (const { key, at } of pairs) {
    if (key === '' || key === '@') mistakes.add(at, 'give the name of a server, or "@" and a role');
  }
  return pairs;
}

function membersOf(value: FileValue, knownKeys: readonly string[], mistakes: Mistakes): readonly FilePair[] {
  return pairsOf(value, `expected a mapping with ${knownKeys.join(', ')}`, mistakes).filter(({ key, at }) => {
    if (knownKeys.includes(key)) return true;
    const guess = nearest(key, [...knownKeys]);
    mistakes.add(at, `unknown key ${JSON.stringify(key)}${guess === undefined ? '' : `; did you mean ${guess}?`}`);
    return false;
  });
}

function pairsOf(value: FileValue, expected: string, mistakes: Mistakes): readonly FilePair[] {
  if (value.kind === 'map') return value.pairs;
  mistakes.add(value.at, expected);
  return [];
}

function listItemsOf(pair: FilePair | undefined, mistakes: Mistakes): readonly FileValue[] {
  if (!pair || isEmpty(pair.value)) return [];
  if (pair.value.kind === 'list') return pair.value.items;
  mistakes.add(pair.value.at, `${pair.key} must be a list`);
  return [];
}

function readIgnorePattern(value: FileValue, mistakes: Mistakes): readonly string[] {
  const pattern = textOf(value) ?? '';
  if (entryKeys.some((name) => pattern.startsWith(`${name}.`) && pattern !== `${name}.`)) return [pattern];
  mistakes.add(value.at, `a pattern begins with ${entryKeys.map((name) => `${name}.`).join(', ')}`);
  return [];
}

function readSection(value: FileValue, mistakes: Mistakes): readonly SectionName[] {
  const section = sectionNames.find((name) => name === textOf(value));
  if (!section) mistakes.add(value.at, `expected a section: ${sectionNames.join(', ')}`);
  return section ? [section] : [];
}

function textOf(value: FileValue): string | undefined {
  return value.kind === 'text' ? value.text : undefined;
}

function isEmpty(value: FileValue): boolean {
  return textOf(value) === '';
}
