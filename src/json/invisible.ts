import { once } from '../contract/values/once.ts';
/** Returns a function that compiles the pattern on first use, because Unicode classes take a millisecond to compile. */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  return once(() => new RegExp(source, flags));
}

/** Part of a pattern: a variation selector after a pictograph. Such a selector is visible, any other is not. */
const visibleSelector = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`;
/** Part of a pattern: characters that control a terminal, reverse text or are invisible, variation selectors too. */
export const hiddenCharacters = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Returns the pattern for characters that control a terminal, reverse text or are invisible. */
export const invisibleCharacters = lazyRegExp(`(?!${visibleSelector})${hiddenCharacters}`, 'gu');
