import { timingSafeEqual } from 'node:crypto';
import type { CommandLine } from '../contract/command-line.ts';
import { oneLine } from '../contract/values/one-line.ts';
import { CliError } from '../errors/cli-error.ts';
import { hintAfterRefusal, type ScopeSeparator } from './scopes.ts';

/** A redirect must carry our state and come from this sign-in service. */
export interface ExpectedAnswer {
  readonly state: string;
  readonly issuer: URL;
  readonly scopeSeparator: ScopeSeparator;
}

/** Returns the code of a redirect. Throws unauthenticated unless it has exactly one code and our state. */
export function readRedirect(params: URLSearchParams, expected: ExpectedAnswer): string {
  const repeated = ['code', 'state', 'error', 'iss'].some((name) => params.getAll(name).length > 1);
  if (repeated) throw failed('the browser returned a parameter twice');
  if (!sameText(params.get('state') ?? '', expected.state)) {
    throw failed('the browser returned the wrong state; the redirect may come from someone else');
  }
  const issuer = params.get('iss');
  if (issuer !== null && !(URL.canParse(issuer) && new URL(issuer).origin === expected.issuer.origin)) {
    throw failed('the browser returned from another sign-in service');
  }
  const error = params.get('error');
  if (error !== null) throw refused(error, params.get('error_description'), expected.scopeSeparator);
  const code = params.get('code');
  if (!code) throw failed('the browser returned no code');
  return code;
}

/** True when access was denied in a redirect with our state. */
export function isDenial(params: URLSearchParams, { state }: ExpectedAnswer): boolean {
  return sameText(params.get('state') ?? '', state) && params.get('error') === 'access_denied';
}

/** Returns the code of a pasted line: the full redirect address, its query, or the code alone. */
export function readPasted(line: string, expected: ExpectedAnswer): string {
  const text = line.trim();
  if (/^[\x21-\x7e]{1,2048}$/.test(text) && !/:\/\/|\?|(^|&)(code|error|state)=/.test(text)) return text;
  if (!text.includes('=')) throw failed('what was pasted is neither the address of the redirect nor a code');
  const query = text.includes('?') ? text.slice(text.indexOf('?') + 1) : text;
  return readRedirect(new URLSearchParams(query.replace(/#.*$/s, '')), expected);
}

function sameText(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refused(error: string, description: string | null, separator: ScopeSeparator): CliError {
  if (error === 'access_denied') return failed('sign-in was denied in the browser');
  const code = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  const reason = description ? `: ${oneLine(description)}` : '';
  return failed(`the sign-in service refused${code}${reason}`, hintAfterRefusal(error, separator));
}

function failed(message: string, hint: CommandLine = { path: 'auth login' }): CliError {
  return new CliError('unauthenticated', message, { hint });
}
