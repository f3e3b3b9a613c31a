import type { CommandLine } from '../contract/command-line.ts';
import { oneLine } from '../contract/values/text.ts';
import type { CliError } from '../errors/cli-error.ts';
import { isToken, signInError } from './token.ts';

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
    throw refusalError(error, reply?.get('error_description'), scopeSeparator, status);
  if (status < 200 || status > 299) throw tokenReplyError(`${status} instead of a token`);
  if (!reply) throw tokenReplyError('an unreadable token response');
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
    throw tokenReplyError('a token that is not a bearer token');
  const token = reply.get('access_token');
  if (typeof token !== 'string' || !isToken(token)) throw tokenReplyError('no usable token');
  const lifetimeSeconds = Number(reply.get('expires_in') ?? Number.NaN);
  const scope = reply.get('scope');
  return {
    token,
    ...(typeof scope === 'string' && scope.trim() !== '' && { scopes: scope.split(/[\s,]+/).filter(Boolean) }),
    ...(Number.isSafeInteger(lifetimeSeconds) && lifetimeSeconds > 0 && { expiresInSeconds: lifetimeSeconds }),
  };
}

/** Returns the error for a refusal of the sign-in or, with the `status` of a token reply, of the sign-in's code. */
export function refusalError(error: string, description: unknown, separator: ScopeSeparator, status?: number) {
  const codesText = [status, /^[a-z_]{1,40}$/.test(error) && error].filter(Boolean).join(' ');
  const reason = typeof description === 'string' && description !== '' ? `: ${oneLine(description)}` : '';
  const message = `the sign-in service refused${status ? ' the code' : ''}${codesText && ` (${codesText})`}${reason}`;
  return signInError(message, { ...(status && { status }), hint: hintAfterRefusal(error, separator) });
}

function tokenReplyError(returned: string): CliError {
  return signInError(`the sign-in service returned ${returned}; sign in again`);
}

/** The separator of scopes in a request: a comma in the API document (service.md), a space for some other services. */
export type ScopeSeparator = 'comma' | 'space';

/** Returns the command to try next. After `invalid_scope` the command sets the other separator, which may be right. */
function hintAfterRefusal(error: string, scopeSeparator: ScopeSeparator): CommandLine {
  if (error !== 'invalid_scope') return { path: 'auth login' };
  return { path: 'profile set', operands: [`scope_separator=${scopeSeparator === 'comma' ? 'space' : 'comma'}`] };
}
