import { originText, type ValueOrigin } from '../settings/table.ts';
import { maskToken } from './token.ts';
import {
  environmentOrigin,
  type FoundToken,
  readStoredToken,
  type TokenSourceOptions,
  tokenVariable,
} from './token-source.ts';

interface TokenSourceState {
  readonly origin: ValueOrigin;
  readonly state: 'not set' | 'none' | 'used' | 'overridden' | 'unreadable';
  /** The masked token. Absent without a token, and for a token command, which is not run for a list of sources. */
  readonly token?: string;
}

/** Returns every source of a token with its state. The first source that is set is used. */
export function readSourceStates(sources: TokenSourceOptions): readonly TokenSourceState[] {
  const token = sources.env[tokenVariable];
  const command = sources.command();
  const commandState = token ? 'overridden' : 'used';
  return [
    { origin: environmentOrigin, ...(token ? { state: 'used', token: maskToken(token) } : { state: 'not set' }) },
    { origin: command?.origin ?? { kind: 'token_command' }, state: command ? commandState : 'not set' },
    { origin: { kind: 'profile', name: sources.profile }, ...readStoredState(sources, Boolean(token || command)) },
  ];
}

/** Returns the line of the token in use: `profile work: used, ****7f3a`. */
export function usedTokenText({ token, origin }: FoundToken): string {
  return `${originText(origin)}: used, ${maskToken(token)}`;
}

/** Returns a line for each source. The token of a `token_command` is not in `states`, only in `tokenInUse`. */
export function sourceLines(states: readonly TokenSourceState[], tokenInUse: FoundToken): readonly string[] {
  return states.map(
    ({ origin, state, token = origin.kind === tokenInUse.origin.kind ? maskToken(tokenInUse.token) : undefined }) =>
      [`${originText(origin)}: ${state}`, ...(token === undefined ? [] : [token])].join(', '),
  );
}

function readStoredState(sources: TokenSourceOptions, isOverridden: boolean): Omit<TokenSourceState, 'origin'> {
  try {
    const storedToken = readStoredToken(sources);
    if (!storedToken) return { state: 'none' };
    return { state: isOverridden ? 'overridden' : 'used', token: maskToken(storedToken.token) };
  } catch (error) {
    // Another source overrides the file, so a fault in the file does no harm.
    if (isOverridden) return { state: 'unreadable' };
    throw error;
  }
}
