import { type Field, isField, type Names } from '../contract/field.ts';

/** The values that an argument or a flag takes. */
export interface Slot {
  readonly names?: Names;
  readonly choices?: readonly string[];
  /** A list with commas. */
  readonly isList?: boolean;
  /** For `KEY=VALUE`: the values; names or choices are the keys. */
  readonly values?: readonly string[];
  /** Fields of the result or columns of its table. `sort` allows a minus in front. */
  readonly fields?: 'fields' | 'columns' | 'sort';
  /** The flag of a setting; the choices of the setting apply. */
  readonly flagOfSetting?: string;
}

/** The part of a slot's text that is being typed. */
export interface Part {
  /** Stays as it was typed: `a,` of `a,bl`, `KEY=` of `KEY=va`. */
  readonly prefix: string;
  readonly text: string;
  /** Items that stand there already. */
  readonly taken: readonly string[];
  /** In front of a sign that is not typed yet. */
  readonly isKey: boolean;
  /** The word in front of the sign, when the part stands behind it. */
  readonly key?: string;
}

/** What a field of a command takes; a flag takes a list with commas, an argument one item of it. */
export function slotOf(field: Field, isFlag: boolean): Slot {
  const item = field.kind === 'many' && isField(field.of) ? field.of : field;
  const names = item.names ?? field.names;
  const choices = item.choices ?? field.choices ?? item.keywords;
  const values = item.assigns ?? field.assigns;
  const isList = field.commas || (isFlag && field.kind === 'many' && !field.whole);
  return {
    ...(names && { names }),
    ...(choices && !(names && values) && { choices }),
    ...(isList && { isList }),
    ...(values && { values }),
  };
}

/** Where in a text the last item, and in an item of two sides the side, begins. */
export function partOf({ isList, values, fields }: Slot, typed: string): Part {
  const cut = isList ? typed.lastIndexOf(',') + 1 : 0;
  const item = typed.slice(cut);
  const taken = cut === 0 ? [] : typed.slice(0, cut - 1).split(',');
  const sign = values ? item.indexOf('=') : -1;
  if (sign < 0) {
    const minus = fields === 'sort' && item.startsWith('-') ? 1 : 0;
    return {
      prefix: typed.slice(0, cut + minus),
      text: item.slice(minus),
      taken,
      isKey: values !== undefined,
    };
  }
  const key = item.slice(0, sign);
  return { prefix: typed.slice(0, cut + sign + 1), text: item.slice(sign + 1), taken: [], isKey: false, key };
}
