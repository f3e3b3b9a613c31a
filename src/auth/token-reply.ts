import type { CommandLine } from '../contract/command-line.ts';
import { oneLine } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { isToken } from './token.ts';

export interface IssuedToken {
  readonly token: string;
  /** Scopes that the service granted; absent when its reply names none. */
  readonly scopes?: readonly string[];
  readonly expiresInSeconds?: number;
}
type ReplyFields = ReadonlyMap<string, unknown>;
const maxReplyBytes = 64 * 1024;

/** Reads a token reply, a form or JSON. Throws `unauthenticated`, quoting no token, if the reply is not usable. */
export function readTokenReply(status: number, text: string, scopeSeparator: ScopeSeparator): IssuedToken {
  const reply = readFields(text);
  const error = reply?.get('error');
  if (typeof error === 'string' && error !== '')
    throw refusalError(status, error, reply?.get('error_description'), scopeSeparator);
  if (status < 200 || status > 299) throw tokenReplyError(`the sign-in service returned ${status} instead of a token`);
  if (!reply) throw tokenReplyError('the sign-in service returned an unreadable token response');
  return readIssuedToken(reply);
}

/** Returns every token in a response, even in a response that is then refused. */
export function tokensIn(text: string): readonly string[] {
  const reply = readFields(text);
  const tokens = ['access_token', 'refresh_token', 'id_token'].map((name) => reply?.get(name));
  return tokens.filter((token) => typeof token === 'string');
}

function readFields(responseText: string): ReplyFields | undefined {
  const text = responseText.trim();
  if (Buffer.byteLength(responseText) > maxReplyBytes) return undefined;
  if (text.startsWith('{')) return readObject(text);
  if (!/^[\w.-]+=/.test(text)) return undefined;
  const params = new URLSearchParams(text);
  const hasRepeatedParameter = ['access_token', 'token_type'].some((name) => params.getAll(name).length > 1);
  return hasRepeatedParameter ? undefined : new Map(params);
}

function readObject(text: string): ReplyFields | undefined {
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

function readIssuedToken(reply: ReplyFields): IssuedToken {
  const tokenType = reply.get('token_type');
  // The API document (service.md) promises a token type. A reply without a type is read as `bearer`.
  if (tokenType !== undefined && String(tokenType).toLowerCase() !== 'bearer')
    throw tokenReplyError('the sign-in service returned a token that is not a bearer token');
  const token = reply.get('access_token');
  if (typeof token !== 'string' || !isToken(token))
    throw tokenReplyError('the sign-in service returned no usable token');
  const lifetimeSeconds = Number(reply.get('expires_in') ?? Number.NaN);
  const scope = reply.get('scope');
  return {
    token,
    ...(typeof scope === 'string' && scope.trim() !== '' && { scopes: readScopes(scope) }),
    ...(Number.isSafeInteger(lifetimeSeconds) && lifetimeSeconds > 0 && { expiresInSeconds: lifetimeSeconds }),
  };
}

function refusalError(status: number, error: string, description: unknown, scopeSeparator: ScopeSeparator): CliError {
  const code = /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : '';
  const reason = typeof description === 'string' && description !== '' ? `: ${oneLine(description)}` : '';
  return new CliError('unauthenticated', `the sign-in service refused the code (${status}${code})${reason}`, {
    status,
    hint: hintAfterRefusal(error, scopeSeparator),
  });
}

function tokenReplyError(message: string): CliError {
  return new CliError('unauthenticated', `${message}; sign in again`, { hint: { path: 'auth login' } });
}

/** The separator of scopes in a request: a comma in the API document (service.md), a space for some other services. */
export type ScopeSeparator = 'comma' | 'space';

function readScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Returns the command to try next. After `invalid_scope` the command sets the other separator, which may be right. */
export function hintAfterRefusal(error: string, scopeSeparator: ScopeSeparator): CommandLine {
  if (error !== 'invalid_scope') return { path: 'auth login' };
  return { path: 'profile set', operands: [`scope_separator=${scopeSeparator === 'comma' ? 'space' : 'comma'}`] };
}
