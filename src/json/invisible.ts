import { once } from '../contract/values/once.ts';
/** Returns a function that compiles the pattern on first use, because Unicode classes take a millisecond to compile. */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  return once(() => new RegExp(source, flags));
}

/** Part of a pattern: a variation selector after a pictograph, which is visible. Other selectors are invisible. */
const visibleSelectorSource = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`;
/** Part of a pattern: a character that controls a terminal, reverses text or is invisible, or a variation selector. */
export const hiddenCharacterClass = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Returns the pattern of `hiddenCharacterClass` without visible variation selectors. */
export const getInvisiblePattern = lazyRegExp(`(?!${visibleSelectorSource})${hiddenCharacterClass}`, 'gu');
