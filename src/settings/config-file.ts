import { join } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { cannotUseError } from '../files/file-fault.ts';
import type { Folders } from '../files/folders.ts';
import { readJsonFile, updateJsonFile } from '../files/json-file.ts';
import type { PrivacyOptions } from '../files/own-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { isSettingName } from './table.ts';

type StoredValues = ReadonlyMap<string, string>;
export interface Config {
  readonly activeProfile?: string | undefined;
  readonly profiles: ReadonlyMap<string, StoredValues>;
  readonly preferences: StoredValues;
  /** True if other users could have written the file before its permissions were repaired. */
  readonly isExposed: boolean;
}
export const emptyConfig: Config = { profiles: new Map(), preferences: new Map(), isExposed: false };

export function configFilePath(folders: Folders): string {
  return join(folders.config, 'config.json');
}

/** Reads config.json. A missing file gives an empty config. Throws `usage` if the file cannot be used. */
export function readConfig(file: string, privacy: PrivacyOptions): Config {
  let isExposed = false;
  const onExposed = () => {
    isExposed = true;
  };
  const content = readJsonFile(file, { ...privacy, onExposed }) ?? {};
  const config = { ...parseConfig(content, file), isExposed };
  // The permissions are repaired by now, so a later run could not tell that another user may have set the settings.
  if (isExposed && !privacy.keepsRights) removeExposedSettings(file, content);
  return config;
}

const removedWhenExposed = ['token_command_origin', 'gateway_key_origin', 'approve_command_trusted', 'notify'];

/** Removes the settings that allow a command to be run or a key to be sent, because another user may have set them. */
function removeExposedSettings(file: string, content: JsonObject): void {
  const profiles = Object.entries(objectAt(content, 'profiles', file)).map(([name, values]) => {
    const keptValues = Object.entries(values as JsonObject).filter(([key]) => !removedWhenExposed.includes(key));
    return [name, Object.fromEntries(keptValues)] as const;
  });
  if (profiles.length === 0) return;
  const newContent = { ...content, profiles: Object.fromEntries(profiles) };
  replaceFile(file, `${JSON.stringify(newContent, undefined, 2)}\n`, { force: true });
}

function parseConfig(raw: JsonObject, file: string): Omit<Config, 'isExposed'> {
  const active = raw['active_profile'];
  if (active !== undefined && typeof active !== 'string') throw cannotUseError(file, 'active_profile must be a string');
  const profiles = objectAt(raw, 'profiles', file);
  const readProfile = (name: string) => readScalars(objectAt(profiles, name, file), `of profile "${name}"`, file);
  return {
    activeProfile: active,
    profiles: new Map(Object.keys(profiles).map((name) => [name, readProfile(name)])),
    preferences: readScalars(objectAt(raw, 'preferences', file), 'of "preferences"', file),
  };
}

function objectAt(holder: JsonObject, key: string, file: string): JsonObject {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw cannotUseError(file, `"${key}" must be an object`);
}

function readScalars(holder: JsonObject, ownerText: string, file: string): StoredValues {
  const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const entries = Object.entries(holder);
  // A key that is no setting may be a setting of a later version, so any value is allowed for that key.
  const [wrongKey] = entries.find(([key, value]) => isSettingName(key) && !isScalar(value)) ?? [];
  if (wrongKey !== undefined) throw cannotUseError(file, `"${wrongKey}" ${ownerText} must be a string`);
  return new Map(entries.flatMap(([key, value]) => (isScalar(value) ? [[key, String(value)]] : [])));
}

/** New values by setting name. Undefined removes a value. */
export type ProfileChanges = Readonly<Record<string, string | undefined>>;

/** The config file, and `warn` for messages about repaired permissions and about a process that holds the lock. */
export interface ConfigLocation extends PrivacyOptions {
  readonly file: string;
}

/** Writes values into a profile. Creates the profile if it does not exist. */
export function changeProfile(location: ConfigLocation, profile: string, changes: ProfileChanges): Promise<void> {
  return updateConfig(location, (oldConfig) => {
    const profiles = objectAt(oldConfig, 'profiles', location.file);
    const values = objectAt(profiles, profile, location.file);
    // The stored `stack_name` belongs to the old stack, so it is removed unless `changes` has a new name.
    const allChanges = Object.hasOwn(changes, 'stack') ? { stack_name: undefined, ...changes } : changes;
    return { ...oldConfig, profiles: { ...profiles, [profile]: withChanges(values, allChanges) } };
  });
}

export function changePreferences(location: ConfigLocation, changes: ProfileChanges): Promise<void> {
  return updateConfig(location, (oldConfig) => ({
    ...oldConfig,
    preferences: withChanges(objectAt(oldConfig, 'preferences', location.file), changes),
  }));
}

export function activateProfile(location: ConfigLocation, profile: string): Promise<void> {
  return updateConfig(location, (oldConfig) => ({ ...oldConfig, active_profile: profile }));
}

/** Removes a profile. If it was active, the default profile becomes active. */
export function deleteProfile(location: ConfigLocation, profile: string): Promise<void> {
  return updateConfig(location, (oldConfig) => {
    const { active_profile: active, ...rest } = oldConfig;
    const { [profile]: _deleted, ...profiles } = objectAt(oldConfig, 'profiles', location.file);
    return { ...rest, ...(active !== profile && active !== undefined && { active_profile: active }), profiles };
  });
}

function updateConfig({ file, warn }: ConfigLocation, change: (config: JsonObject) => JsonObject): Promise<void> {
  const changeIfUsable = (oldConfig: JsonObject): JsonObject => {
    // Throws if the file cannot be used, so that such a file is not overwritten.
    parseConfig(oldConfig, file);
    return change(oldConfig);
  };
  return updateJsonFile(file, changeIfUsable, { warn });
}

function withChanges(oldValues: JsonObject, changes: ProfileChanges): JsonObject {
  return Object.fromEntries(Object.entries({ ...oldValues, ...changes }).filter(([, value]) => value !== undefined));
}
