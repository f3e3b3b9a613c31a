import { type JsonObject, updateJsonFile } from '../files/json-file.ts';
import { objectAt } from './config-file.ts';

/** New values by setting name; undefined forgets one. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** Writes values into a profile, which is made when there is none of that name. */
export function changeProfile(file: string, profile: string, changes: Changes): Promise<void> {
  return updateJsonFile(file, (old) => {
    const profiles = objectAt(old, 'profiles', file);
    return { ...old, profiles: { ...profiles, [profile]: changed(objectAt(profiles, profile, file), changes) } };
  });
}

/** Writes values that hold for all profiles. */
export function changePreferences(file: string, changes: Changes): Promise<void> {
  return updateJsonFile(file, (old) => ({ ...old, preferences: changed(objectAt(old, 'preferences', file), changes) }));
}

/** Makes a profile the one that commands use unless told otherwise. */
export function activateProfile(file: string, profile: string): Promise<void> {
  return updateJsonFile(file, (old) => ({ ...old, active_profile: profile }));
}

/** Forgets a profile; when it was the active one, the default profile is active from then on. */
export function deleteProfile(file: string, profile: string): Promise<void> {
  return updateJsonFile(file, (old) => {
    const { active_profile: active, ...rest } = old;
    const { [profile]: _gone, ...profiles } = objectAt(old, 'profiles', file);
    return { ...rest, ...(active !== profile && active !== undefined && { active_profile: active }), profiles };
  });
}

function changed(old: JsonObject, changes: Changes): JsonObject {
  return Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined));
}
