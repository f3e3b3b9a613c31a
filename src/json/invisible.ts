import { once } from '../contract/values/once.ts';
/** A pattern that is compiled on first use: with Unicode classes that takes a millisecond. */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  return once(() => new RegExp(source, flags));
}

/** A variation selector is allowed only after a pictograph; elsewhere it is invisible. */
const selector = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`;
/** Part of a pattern: characters that are invisible in any context. */
export const hiddenCharacters = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Characters that control a terminal, reverse text or are invisible. */
export const invisibleCharacters = lazyRegExp(`(?!${selector})${hiddenCharacters}`, 'gu');
