import type { CommandLine } from '../contract/command-line.ts';

/** The service's document separates scopes with a comma; other services need a space. */
export type ScopeSeparator = 'comma' | 'space';

export function readScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** After `invalid_scope` the service may need the other separator. */
export function hintAfterRefusal(error: string, separator: ScopeSeparator): CommandLine {
  if (error !== 'invalid_scope') return { path: 'auth login' };
  return { path: 'profile set', operands: [`scope_separator=${separator === 'comma' ? 'space' : 'comma'}`] };
}
