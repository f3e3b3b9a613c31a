import { type Flag, flagsOf, mayOmitValue } from '../cli/arguments/arguments.ts';
import { globalOptions, helpAndVersion } from '../cli/arguments/options.ts';
import type { Command } from '../contract/command.ts';
import { type Field, isField } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';

/** The values of an argument or flag. For `KEY=VALUE`, `assigns` has the values; the other fields describe the keys. */
export interface ValueSlot extends Partial<Pick<Field, 'nameKind' | 'choices' | 'keywords' | 'assigns'>> {
  readonly isList?: boolean;
}

export function lineFlags(command: Command | undefined): readonly Flag[] {
  return [...(command ? flagsOf(command) : []), ...globalOptions, ...helpAndVersion.slice(0, 1)];
}

export function slotOfFlag({ takes, field }: Flag): ValueSlot {
  return takes === 'file' ? { nameKind: 'file' } : slotOf(field, true);
}

/** Returns the slot of a field. A flag may take a list with commas, where an argument takes one item. */
export function slotOf(field: Field, isFlag: boolean): ValueSlot {
  const item = field.kind === 'many' && isField(field.of) ? field.of : {};
  return {
    ...field,
    ...item,
    isList: Boolean(field.commas) || (isFlag && field.kind === 'many' && !field.noSplit),
  };
}

/**
 * Splits typed text into the part to complete and the prefix before it: `a,bl` has the prefix `a,` and the text `bl`.
 * `KEY=va` has the prefix `KEY=`, the text `va` and the key `KEY`. The key is undefined while its text is not complete.
 */
export function splitItem({ isList, assigns, nameKind }: ValueSlot, typed: string) {
  const itemStart = isList ? typed.lastIndexOf(',') + 1 : 0;
  const item = typed.slice(itemStart);
  const equalsIndex = assigns ? item.indexOf('=') : -1;
  if (equalsIndex >= 0) {
    const prefix = typed.slice(0, itemStart + equalsIndex + 1);
    return { prefix, text: item.slice(equalsIndex + 1), taken: [], key: item.slice(0, equalsIndex) };
  }
  const minusLength = nameKind === 'sort column' && item.startsWith('-') ? 1 : 0;
  return {
    prefix: typed.slice(0, itemStart + minusLength),
    text: item.slice(minusLength),
    taken: itemStart === 0 ? [] : typed.slice(0, itemStart - 1).split(','),
  };
}

/** The part of the line at the cursor. `prefix` is what the current word has before the value: `--stack=`. */
type CursorPart =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'option'; readonly text: string }
  | { readonly kind: 'value'; readonly option: Flag; readonly text: string; readonly prefix: string }
  /** The command line of another program, after `--`. */
  | { readonly kind: 'program' };

export interface TypedLine {
  readonly node: CommandNode;
  readonly path: readonly string[];
  /** Arguments typed after the command, without the word at the cursor. */
  readonly args: readonly string[];
  /** Values of the flags typed so far, by long spelling; empty for a flag without a value. */
  readonly typedFlags: ReadonlyMap<string, string>;
  readonly isPastOptions: boolean;
  readonly atCursor: CursorPart;
}

/** Reads the words before the cursor and the word at the cursor. Ignores mistakes. */
export function readTypedLine(tree: CommandNode, before: readonly string[], currentWord: string): TypedLine {
  const line = { node: tree, path: [] as string[], args: [] as string[] };
  const typedFlags = new Map<string, string>();
  let isPastOptions = false;
  let pendingFlag: Flag | undefined;
  for (const word of before) {
    const option = pendingFlag;
    pendingFlag = undefined;
    if (option && (!mayOmitValue(option.field) || !word.startsWith('-'))) typedFlags.set(option.long, word);
    else if (isPastOptions) line.args.push(word);
    else if (word === '--') isPastOptions = true;
    else if (/^-./s.test(word)) pendingFlag = readOption(word, line.node, typedFlags);
    else addWord(line, word);
  }
  const atCursor = readCursorPart(currentWord, pendingFlag, line.node, isPastOptions);
  return { ...line, typedFlags, isPastOptions, atCursor };
}

function addWord(line: { node: CommandNode; readonly path: string[]; readonly args: string[] }, word: string): void {
  const child = line.args.length === 0 ? line.node.children.get(word) : undefined;
  (child ? line.path : line.args).push(word);
  line.node = child ?? line.node;
}

function readOption(word: string, node: CommandNode, typedFlags: Map<string, string>): Flag | undefined {
  const { switches, option, value } = splitOption(word, node);
  for (const { long } of switches) typedFlags.set(long, '');
  if (option) typedFlags.set(option.long, value ?? '');
  return option && takesValue(option) && value === undefined ? option : undefined;
}

function readCursorPart(text: string, flag: Flag | undefined, node: CommandNode, isPastOptions: boolean): CursorPart {
  if (flag) return { kind: 'value', option: flag, text, prefix: '' };
  if (isPastOptions && node.command?.output.kind === 'program') return { kind: 'program' };
  if (isPastOptions || !text.startsWith('-')) return { kind: 'argument', text };
  const { option, value, prefix } = splitOption(text, node);
  if (option && takesValue(option) && value !== undefined) return { kind: 'value', option, text: value, prefix };
  return { kind: 'option', text };
}

function takesValue({ takes }: Flag): boolean {
  return takes === 'value' || takes === 'file';
}

/** Splits `--stack=shop`, `-sshop` or `-qsshop`, which has the switch `-q`, the option `-s` and the prefix `-qs`. */
function splitOption(word: string, { command }: CommandNode) {
  const options = lineFlags(command);
  const findFlag = (spelling: string) => options.find(({ spellings }) => spellings.includes(spelling));
  if (word.startsWith('--')) {
    const [name = '', value] = word.split(/=(.*)/s);
    return { switches: [], option: findFlag(name), value, prefix: `${name}=` };
  }
  const switches: Flag[] = [];
  for (let index = 1; index < word.length; index++) {
    const option = findFlag(`-${word[index]}`);
    if (option && takesValue(option)) {
      return { switches, option, value: word.slice(index + 1) || undefined, prefix: word.slice(0, index + 1) };
    }
    if (option) switches.push(option);
  }
  return { switches, prefix: word };
}
