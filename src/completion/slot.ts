import { type Flag, flagsOf } from '../cli/arguments/arguments.ts';
import { answeredOptions, globalOptions } from '../cli/arguments/options.ts';
import type { Command } from '../contract/command.ts';
import { type Field, isField } from '../contract/field.ts';

/** The values that an argument or a flag takes; of `KEY=VALUE`, `assigns` are the values and the rest are keys. */
export interface Slot extends Partial<Pick<Field, 'names' | 'choices' | 'keywords' | 'assigns'>> {
  readonly isList?: boolean;
}

/** All flags of a command; for a group, the global flags. */
export function lineFlags(command: Command | undefined): readonly Flag[] {
  return [...(command ? flagsOf(command) : []), ...globalOptions, ...answeredOptions.slice(0, 1)];
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
