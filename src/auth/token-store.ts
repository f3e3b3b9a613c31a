import { join } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Folders } from '../files/folders.ts';
import { readJsonFile, updateJsonFile } from '../files/json-file.ts';
import type { Secrecy } from '../files/own-file.ts';
import { isToken } from './token.ts';

/** A token and the only web origin that may receive it. */
export interface StoredToken {
  readonly token: string;
  readonly origin: string;
  /** Scopes granted at sign-in, else those requested; empty for a personal token. */
  readonly scopes: readonly string[];
  /** Scopes that sign-in requested; absent in files of older versions. */
  readonly requested?: readonly string[];
  readonly obtained_at: string;
  readonly expires_at?: string;
}
export type TokenStore = ReturnType<typeof openTokenStore>;

/** Stores tokens by profile in credentials.json (0600). Every method throws usage when the file cannot be used. */
export function openTokenStore(folders: () => Folders, warn: (line: string) => void, { keepsRights = false } = {}) {
  const secrecy: Secrecy = { warn, keepsRights };
  const file = () => join(folders().config, 'credentials.json');
  return {
    get file() {
      return file();
    },
    read: (profile: string) => storedAt(readJsonFile(file(), secrecy) ?? {}, profile, file()),
    write: (profile: string, token: StoredToken) =>
      update(file(), secrecy, (tokens) => ({ ...tokens, [profile]: token })),
    /** Returns true when there was one. Also removes temporary files of killed writers. */
    forget: async (profile: string) => {
      let found = false;
      await update(file(), secrecy, (tokens) => {
        found = Object.hasOwn(tokens, profile);
        if (!found) return tokens;
        const { [profile]: _gone, ...others } = tokens;
        return others;
      });
      return found;
    },
    /** Takes the lock and throws what `write` would throw, before the operator consents in the browser. */
    probe: () => update(file(), secrecy, (tokens) => tokens),
  };
}

function update(file: string, secrecy: Secrecy, change: (tokens: JsonObject) => JsonObject): Promise<void> {
  return updateJsonFile(
    file,
    (old) => {
      const tokens = tokensOf(old, file);
      const next = change(tokens);
      return next === tokens ? old : { ...old, tokens: next };
    },
    secrecy,
  );
}

function tokensOf(content: JsonObject, file: string): JsonObject {
  const tokens = content['tokens'] ?? {};
  if (isObject(tokens)) return tokens;
  throw wrongShape(file, '"tokens" must be an object');
}

function storedAt(content: JsonObject, profile: string, file: string): StoredToken | undefined {
  const tokens = tokensOf(content, file);
  if (!Object.hasOwn(tokens, profile)) return undefined;
  const entry = tokens[profile] as Partial<StoredToken> | null;
  const { token, origin, scopes, requested, obtained_at, expires_at } = entry ?? {};
  if (typeof token !== 'string' || !isToken(token) || typeof origin !== 'string') {
    throw wrongShape(file, `profile ${profile} has no usable token and origin`);
  }
  return {
    token,
    origin,
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    ...(Array.isArray(requested) && { requested: requested.map(String) }),
    obtained_at: String(obtained_at ?? ''),
    ...(typeof expires_at === 'string' && { expires_at }),
  };
}

function wrongShape(file: string, reason: string): CliError {
  return new CliError('usage', `cannot use ${file}: ${reason}`, { hint: { path: 'auth login' } });
}
