import { type Flag, flagsOf, mayStandAlone } from '../cli/arguments/arguments.ts';
import { globalOptions, helpAndVersion } from '../cli/arguments/options.ts';
import type { Command } from '../contract/command.ts';
import { type Field, isField } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';

/** The values that an argument or a flag takes; of `KEY=VALUE`, `assigns` are the values and the rest are keys. */
export interface Slot extends Partial<Pick<Field, 'names' | 'choices' | 'keywords' | 'assigns'>> {
  readonly isList?: boolean;
}

/** All flags of a command; for a group, the global flags. */
export function lineFlags(command: Command | undefined): readonly Flag[] {
  return [...(command ? flagsOf(command) : []), ...globalOptions, ...helpAndVersion.slice(0, 1)];
}

export function slotOfFlag({ takes, field }: Flag): Slot {
  return takes === 'file' ? { names: 'file' } : slotOf(field, true);
}

/** A flag takes a list with commas, an argument one item of it. */
export function slotOf(field: Field, isFlag: boolean): Slot {
  const item = field.kind === 'many' && isField(field.of) ? field.of : {};
  return { ...field, ...item, isList: Boolean(field.commas) || (isFlag && field.kind === 'many' && !field.noSplit) };
}

/**
 * The last item of a text, and in an item of two sides the side that is typed. The prefix stays as it was typed: `a,` of
 * `a,bl`, `KEY=` of `KEY=va`, where `KEY` is the key; `isKey` in front of a sign that is not typed yet.
 */
export function partOf({ isList, assigns, names }: Slot, typed: string) {
  const cut = isList ? typed.lastIndexOf(',') + 1 : 0;
  const item = typed.slice(cut);
  const sign = assigns ? item.indexOf('=') : -1;
  if (sign >= 0) {
    const prefix = typed.slice(0, cut + sign + 1);
    return { prefix, text: item.slice(sign + 1), taken: [], isKey: false, key: item.slice(0, sign) };
  }
  const minus = names === 'sort column' && item.startsWith('-') ? 1 : 0;
  return {
    prefix: typed.slice(0, cut + minus),
    text: item.slice(minus),
    taken: cut === 0 ? [] : typed.slice(0, cut - 1).split(','),
    isKey: assigns !== undefined,
  };
}

/** The target at the cursor. `prefix` is the part of the current word before the value. */
type CursorTarget =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'option'; readonly text: string }
  | { readonly kind: 'value'; readonly option: Flag; readonly text: string; readonly prefix: string }
  /** The command line of another program, after `--`. */
  | { readonly kind: 'program' };

export interface TypedLine {
  readonly node: CommandNode;
  readonly path: readonly string[];
  /** Arguments after the command, without the one at the cursor. */
  readonly args: readonly string[];
  /** Flags typed so far, by long spelling; the value is empty for a flag that takes none. */
  readonly given: ReadonlyMap<string, string>;
  readonly isPastOptions: boolean;
  readonly wanted: CursorTarget;
}

/** Reads the words before the cursor and the one at it. Mistakes are ignored. */
export function readTyped(tree: CommandNode, before: readonly string[], current: string): TypedLine {
  const reached = { node: tree, path: [] as string[], args: [] as string[] };
  const given = new Map<string, string>();
  let isPastOptions = false;
  let awaiting: Flag | undefined;
  for (const word of before) {
    const option = awaiting;
    awaiting = undefined;
    if (option && (!mayStandAlone(option.field) || !word.startsWith('-'))) given.set(option.long, word);
    else if (isPastOptions) reached.args.push(word);
    else if (word === '--') isPastOptions = true;
    else if (/^-./s.test(word)) awaiting = takeOption(word, reached.node, given);
    else follow(reached, word);
  }
  const wanted = wantedAt(current, { node: reached.node, awaiting, isPastOptions });
  return { ...reached, given, isPastOptions, wanted };
}

function follow(reached: { node: CommandNode; readonly path: string[]; readonly args: string[] }, word: string): void {
  const child = reached.args.length === 0 ? reached.node.children.get(word) : undefined;
  (child ? reached.path : reached.args).push(word);
  reached.node = child ?? reached.node;
}

function takeOption(word: string, node: CommandNode, given: Map<string, string>): Flag | undefined {
  const { switches, option, value } = splitOption(word, node);
  for (const { long } of switches) given.set(long, '');
  if (option) given.set(option.long, value ?? '');
  return option && takesValue(option) && value === undefined ? option : undefined;
}

function wantedAt(
  current: string,
  { node, awaiting, isPastOptions }: Pick<TypedLine, 'node' | 'isPastOptions'> & { awaiting: Flag | undefined },
): CursorTarget {
  if (awaiting) return { kind: 'value', option: awaiting, text: current, prefix: '' };
  if (isPastOptions && node.command?.output.kind === 'program') return { kind: 'program' };
  if (isPastOptions || !current.startsWith('-')) return { kind: 'argument', text: current };
  const { option, value, prefix } = splitOption(current, node);
  if (option && takesValue(option) && value !== undefined) return { kind: 'value', option, text: value, prefix };
  return { kind: 'option', text: current };
}

function takesValue({ takes }: Flag): boolean {
  return takes === 'value' || takes === 'file';
}

/** `--stack=shop`, `--stack`, `-s`, `-sshop`, `-qs`: `q` is among the switches, `-qs` the prefix of the value. */
function splitOption(word: string, { command }: CommandNode) {
  const options = lineFlags(command);
  const known = (spelling: string) => options.find(({ spellings }) => spellings.includes(spelling));
  if (word.startsWith('--')) {
    const [name = '', value] = word.split(/=(.*)/s);
    return { switches: [], option: known(name), value, prefix: `${name}=` };
  }
  const switches: Flag[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = known(`-${word[at]}`);
    if (option && takesValue(option)) {
      return { switches, option, value: word.slice(at + 1) || undefined, prefix: word.slice(0, at + 1) };
    }
    if (option) switches.push(option);
  }
  return { switches, prefix: word };
}
