import type { CommandNode } from '../contract/tree.ts';
import { type LineOption, lineOptions } from './line-option.ts';

/** What is at the cursor. `prefix` is the part of the current word in front of the value. */
export type CursorTarget =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'option'; readonly text: string }
  | { readonly kind: 'value'; readonly option: LineOption; readonly text: string; readonly prefix: string }
  /** The command line of another program, after `--`. */
  | { readonly kind: 'program' };

/** A command line up to the cursor. */
export interface TypedLine {
  readonly node: CommandNode;
  readonly path: readonly string[];
  /** Arguments after the command, without the one at the cursor. */
  readonly args: readonly string[];
  /** Flags typed so far, by long spelling; the value is empty for a flag that takes none. */
  readonly given: ReadonlyMap<string, string>;
  /** True after `--`. */
  readonly isPastOptions: boolean;
  readonly wanted: CursorTarget;
}

interface State {
  node: CommandNode;
  readonly path: string[];
  readonly args: string[];
  readonly given: Map<string, string>;
  isPastOptions: boolean;
  /** A flag whose value comes next. */
  awaiting: LineOption | undefined;
}

/** Reads the words before the cursor and the one at it. Mistakes are ignored. */
export function readTyped(tree: CommandNode, before: readonly string[], current: string): TypedLine {
  const state: State = {
    node: tree,
    path: [],
    args: [],
    given: new Map(),
    isPastOptions: false,
    awaiting: undefined,
  };
  for (const word of before) take(state, word);
  const { awaiting: _, ...read } = state;
  return { ...read, wanted: wantedAt(state, current) };
}

function take(state: State, word: string): void {
  const { awaiting, args, given } = state;
  state.awaiting = undefined;
  if (awaiting) return void given.set(awaiting.long, word);
  if (!state.isPastOptions && word === '--') state.isPastOptions = true;
  else if (!state.isPastOptions && isOption(word)) takeOption(state, word);
  else if (!descend(state, word)) args.push(word);
}

function descend(state: State, word: string): boolean {
  const child = state.args.length === 0 && !state.isPastOptions ? state.node.children.get(word) : undefined;
  if (!child) return false;
  state.node = child;
  state.path.push(word);
  return true;
}

function takeOption(state: State, word: string): void {
  const { switches, option, value } = splitOption(word, lineOptions(state.node.command));
  for (const { long } of switches) state.given.set(long, '');
  if (!option) return;
  state.given.set(option.long, value ?? '');
  if (option.takesValue && value === undefined) state.awaiting = option;
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

function wantedAt({ awaiting, isPastOptions, node }: State, current: string): CursorTarget {
  if (awaiting) return { kind: 'value', option: awaiting, text: current, prefix: '' };
  if (isPastOptions)
    return node.command?.output.kind === 'program' ? { kind: 'program' } : { kind: 'argument', text: current };
  if (!current.startsWith('-')) return { kind: 'argument', text: current };
  const { option, value, prefix } = splitOption(current, lineOptions(node.command));
  if (option?.takesValue && value !== undefined) return { kind: 'value', option, text: value, prefix };
  return { kind: 'option', text: current };
}

interface SplitOption {
  /** Flags grouped in front of the last one: `q` of `-qs`. */
  readonly switches: readonly LineOption[];
  readonly option?: LineOption;
  readonly value?: string;
  /** The text in front of the value: `--stack=`, `-s`. */
  readonly prefix: string;
}

/** `--stack=shop`, `--stack`, `-s`, `-sshop`, `-qs`. */
function splitOption(word: string, options: readonly LineOption[]): SplitOption {
  const known = (spelling: string) => options.find((option) => option.spellings.includes(spelling));
  if (word.startsWith('--')) {
    const sign = word.indexOf('=');
    const option = known(sign < 0 ? word : word.slice(0, sign));
    const given = sign < 0 ? {} : { value: word.slice(sign + 1) };
    return { switches: [], prefix: word.slice(0, sign + 1), ...(option && { option }), ...given };
  }
  const switches: LineOption[] = [];
  for (const [at, letter] of [...word].entries()) {
    const option = at === 0 ? undefined : known(`-${letter}`);
    if (option?.takesValue) {
      const value = [...word].slice(at + 1).join('');
      return { switches, option, prefix: word.slice(0, at + 1), ...(value !== '' && { value }) };
    }
    if (option) switches.push(option);
  }
  return { switches, prefix: word };
}
