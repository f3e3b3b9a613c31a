import type { CommandLine } from '../contract/command-line.ts';

/** The separator of scopes in the authorize address: the document says comma, other services need a space. */
export type ScopeSeparator = 'comma' | 'space';

export function readScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** The hint after a refusal: the service may need the other separator. */
export function hintAfterRefusal(error: string, separator: ScopeSeparator): CommandLine {
  if (error !== 'invalid_scope') return { path: 'auth login' };
  return { path: 'profile set', operands: [`scope_separator=${separator === 'comma' ? 'space' : 'comma'}`] };
}
