import { join } from 'node:path';
import { cannotUse } from '../files/file-fault.ts';
import type { Folders } from '../files/folders.ts';
import { type JsonObject, readJsonFile } from '../files/json-file.ts';

export type Values = ReadonlyMap<string, string>;
/** What config.json holds. Unknown keys are kept in the file and ignored here. */
export interface Config {
  readonly activeProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, Values>;
  readonly preferences: Values;
}
export const emptyConfig: Config = { activeProfile: undefined, profiles: new Map(), preferences: new Map() };

/** Path of config.json. */
export function configFile(folders: Folders): string {
  return join(folders.config, 'config.json');
}

/** Reads config.json, empty when there is none; throws usage when it cannot be used. */
export function readConfig(file: string): Config {
  const raw = readJsonFile(file);
  if (!raw) return emptyConfig;
  const active = raw['active_profile'];
  if (active !== undefined && typeof active !== 'string') throw cannotUse(file, 'active_profile must be a text');
  const profiles = objectAt(raw, 'profiles', file);
  return {
    activeProfile: active,
    profiles: new Map(Object.keys(profiles).map((name) => [name, scalars(objectAt(profiles, name, file))])),
    preferences: scalars(objectAt(raw, 'preferences', file)),
  };
}

/** The object under a key, `{}` when absent; throws usage for any other kind of value. */
export function objectAt(holder: JsonObject, key: string, file: string): JsonObject {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw cannotUse(file, `"${key}" must be an object`);
}

function scalars(holder: JsonObject): Values {
  const plain = Object.entries(holder).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return new Map(plain.map(([key, value]) => [key, String(value)]));
}
