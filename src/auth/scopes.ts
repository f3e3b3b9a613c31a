import type { CommandLine } from '../contract/command-line.ts';

/** How the authorize address writes a list of scopes: the document says comma, other services want a blank. */
export type ScopeSeparator = 'comma' | 'space';

/** The scopes of a list that some service wrote: with commas, blanks or both. */
export function readScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** What helps after a refusal: a service that does not know the scopes may want the other separator. */
export function hintAfterRefusal(error: string, separator: ScopeSeparator): CommandLine {
  if (error !== 'invalid_scope') return { path: 'auth login' };
  return { path: 'profile set', operands: [`scope_separator=${separator === 'comma' ? 'space' : 'comma'}`] };
}
