import type { JsonObject } from '../contract/values/json-object.ts';
import { updateJsonFile } from '../files/json-file.ts';
import type { Secrecy } from '../files/own-file.ts';
import { configOf, objectAt } from './config-file.ts';

/** New values by setting name; undefined removes a value. */
export type ProfileChanges = Readonly<Record<string, string | undefined>>;

/** `warn` receives repaired permissions, and the process that holds the lock. */
export interface ConfigLocation extends Secrecy {
  readonly file: string;
}

/** Writes values into a profile; creates the profile when it does not exist. */
export function changeProfile(location: ConfigLocation, profile: string, changes: ProfileChanges): Promise<void> {
  return updateConfig(location, (old) => {
    const profiles = objectAt(old, 'profiles', location.file);
    const values = objectAt(profiles, profile, location.file);
    // The stored name belongs to the old stack.
    const named = Object.hasOwn(changes, 'stack') ? { stack_name: undefined, ...changes } : changes;
    return { ...old, profiles: { ...profiles, [profile]: changed(values, named) } };
  });
}

export function changePreferences(location: ConfigLocation, changes: ProfileChanges): Promise<void> {
  return updateConfig(location, (old) => ({
    ...old,
    preferences: changed(objectAt(old, 'preferences', location.file), changes),
  }));
}

export function activateProfile(location: ConfigLocation, profile: string): Promise<void> {
  return updateConfig(location, (old) => ({ ...old, active_profile: profile }));
}

/** Removes a profile. When it was active, the default profile becomes active. */
export function deleteProfile(location: ConfigLocation, profile: string): Promise<void> {
  return updateConfig(location, (old) => {
    const { active_profile: active, ...rest } = old;
    const { [profile]: _gone, ...profiles } = objectAt(old, 'profiles', location.file);
    return { ...rest, ...(active !== profile && active !== undefined && { active_profile: active }), profiles };
  });
}

function updateConfig({ file, warn }: ConfigLocation, change: (old: JsonObject) => JsonObject): Promise<void> {
  const changeUsable = (old: JsonObject): JsonObject => {
    // An unreadable file is not overwritten.
    configOf(old, file);
    return change(old);
  };
  return updateJsonFile(file, changeUsable, { warn });
}

function changed(old: JsonObject, changes: ProfileChanges): JsonObject {
  return Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined));
}
