import { latePattern } from './late-pattern.ts';

/** A variation selector is let through only where it picks the style of a pictograph; anywhere else it is invisible. */
const selector = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`;
const hidden = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/**
 * What steers a terminal, turns text around or hides: controls, C1, bidi, separators, zero-width characters, tags, half
 * characters.
 */
export const invisible = latePattern(`(?!${selector})${hidden}`, 'gu');
