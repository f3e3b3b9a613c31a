import { join } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Folders } from '../files/folders.ts';
import { readJsonFile, updateJsonFile } from '../files/json-file.ts';
import type { PrivacyOptions } from '../files/own-file.ts';
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

/** Opens the tokens of all profiles in credentials.json (0600). Each method throws `usage` for a file it cannot use. */
export function openTokenStore(folders: () => Folders, warn: (line: string) => void, { keepsRights = false } = {}) {
  const privacy: PrivacyOptions = { warn, keepsRights };
  const findFile = () => join(folders().config, 'credentials.json');
  const updateTokens = (changeTokens: (tokens: JsonObject) => JsonObject): Promise<void> => {
    const update = (oldContent: JsonObject) => {
      const tokens = tokensOf(oldContent, findFile());
      const newTokens = changeTokens(tokens);
      return newTokens === tokens ? oldContent : { ...oldContent, tokens: newTokens };
    };
    return updateJsonFile(findFile(), update, privacy);
  };
  return {
    get file() {
      return findFile();
    },
    read: (profile: string) => tokenOf(readJsonFile(findFile(), privacy) ?? {}, profile, findFile()),
    write: (profile: string, token: StoredToken) => updateTokens((tokens) => ({ ...tokens, [profile]: token })),
    /** Removes the token of a profile, and temporary files of killed writers. Returns true if there was a token. */
    forget: async (profile: string) => {
      let hadToken = false;
      await updateTokens((tokens) => {
        const { [profile]: _removed, ...otherTokens } = tokens;
        hadToken = Object.hasOwn(tokens, profile);
        return hadToken ? otherTokens : tokens;
      });
      return hadToken;
    },
    /** Takes the lock and reads the file, but writes nothing, so a fault of the file shows before the user signs in. */
    probe: () => updateTokens((tokens) => tokens),
  };
}

function tokensOf(content: JsonObject, file: string): JsonObject {
  const tokens = content['tokens'] ?? {};
  if (isObject(tokens)) return tokens;
  throw wrongShapeError(file, '"tokens" must be an object');
}

function tokenOf(content: JsonObject, profile: string, file: string): StoredToken | undefined {
  const tokens = tokensOf(content, file);
  if (!Object.hasOwn(tokens, profile)) return undefined;
  const { token, origin, scopes, requested, obtained_at, expires_at } = (tokens[profile] ?? {}) as Partial<StoredToken>;
  if (typeof token !== 'string' || !isToken(token) || typeof origin !== 'string') {
    throw wrongShapeError(file, `profile ${profile} has no usable token and origin`);
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

function wrongShapeError(file: string, reason: string): CliError {
  return new CliError('usage', `cannot use ${file}: ${reason}`, { hint: { path: 'auth login' } });
}
