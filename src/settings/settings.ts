import { CliError } from '../errors/cli-error.ts';
import type { Folders } from '../files/folders.ts';
import { type Config, configFile, emptyConfig, readConfig } from './config-file.ts';
import { originText, type ValueOrigin } from './origin.ts';
import { type SettingName, settingTable } from './table.ts';

export interface Resolved {
  readonly value: string | undefined;
  readonly origin: ValueOrigin;
}
type Found = Resolved & { readonly value: string };
export interface Settings {
  /** Throws usage for a value that the setting cannot have, and for an unknown profile where it would matter. */
  get(name: SettingName): Resolved;
  /** Name of the profile in use; throws usage when it is unknown. */
  readonly profile: string;
  /** The same without the check: for the commands that make or repair profiles. */
  readonly wantedProfile: Found;
}
export interface Sources {
  /** Flags as typed, by setting name: `{ base_url: 'https://…' }`; on/off flags are `'true'`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: () => Folders;
  readonly warn?: (line: string) => void;
  /** Only reads: not even permissions that are too wide are repaired. */
  readonly keepsRights?: boolean;
}
/** The profile that always exists, if only as an empty one. */
export const defaultProfile = 'default';
/** The default with --sandbox, so that practice leaves the real ones alone. */
const sandboxProfile = 'sandbox';
/** They exist without being created. */
const builtInProfiles: readonly string[] = [defaultProfile, sandboxProfile];

/** Precedence everywhere: flag, environment, profile, preferences, default. Files are read when first needed. */
export function resolveSettings(sources: Sources): Settings {
  let known: Config | undefined;
  const config = () => (known ??= loadConfig(sources));
  const wanted = () => wantedProfile(sources, config);
  const settings: Settings = {
    get(name) {
      if (name === 'profile') return wanted();
      const setting = settingTable[name];
      const profile = wanted();
      const isKnown = profileExists(profile.value, config());
      if (!isKnown && name === 'protected') return { value: 'true', origin: { kind: 'unknown profile' } };
      // Output and time limits do not depend on it, so that the commands that repair an unknown profile still run.
      if (!isKnown && setting.stored === 'profile') knownProfile(profile, config());
      const found = foundFor(name, [...typed(name, sources), storedIn(config(), name, profile.value)]);
      if (found) return checked(name, found);
      const address = name === 'auth_url' ? settings.get('base_url').value : undefined;
      if (address) return { value: new URL(address).origin, origin: { kind: 'origin of base_url' } };
      return { value: setting.preset, origin: { kind: 'default' } };
    },
    get profile() {
      return knownProfile(wanted(), config()).value;
    },
    get wantedProfile() {
      return wanted();
    },
  };
  return settings;
}

function checked(name: SettingName, { value, origin }: Found): Found {
  return { value: checkSetting(name, value, origin), origin };
}

/** The value in its one spelling; throws usage that names the value, and its origin unless it is an argument. */
export function checkSetting(name: SettingName, value: string, origin?: ValueOrigin): string {
  // What Node makes of bytes that are no UTF-8; nothing could be found under such a name.
  if (value.includes('\uFFFD')) throw new CliError('usage', `${subjectOf(name, origin)} is not valid UTF-8`);
  const verdict = settingTable[name].check(value);
  if ('value' in verdict) return verdict.value;
  // In front of the host of an address, and behind a `?`, may be a password.
  const shown = name.endsWith('_url')
    ? value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1***@').replace(/([?#]).+$/s, '$1***')
    : value;
  const { mustBe, hint } = verdict;
  throw new CliError('usage', `${subjectOf(name, origin)} must be ${mustBe}, not "${shown}"`, { hint });
}

function subjectOf(setting: SettingName, origin: ValueOrigin | undefined): string {
  if (!origin) return setting;
  const { kind, name = setting } = origin;
  return kind === 'flag' || kind === 'environment' ? name : `${setting} (${originText(origin)})`;
}

function foundFor(name: SettingName, places: readonly (Found | undefined)[]): Found | undefined {
  const found = places.filter((place) => place !== undefined);
  const [first] = found;
  if (name !== 'readonly') return first;
  // What is read-only anywhere is read-only: nobody lifts it from a nearer place.
  return found.find((one) => checked(name, one).value === 'true') ?? first;
}

function typed(name: SettingName, { flags, env }: Sources): readonly Found[] {
  const { flag, variable = '' } = settingTable[name];
  const [given, set] = [flags[name], env[variable]];
  return [
    ...(given === undefined ? [] : [{ value: given, origin: { kind: 'flag', name: flag } as const }]),
    ...(set ? [{ value: set, origin: { kind: 'environment', name: variable } as const }] : []),
  ];
}

function storedIn(config: Config, name: SettingName, profile: string): Found | undefined {
  const setting = settingTable[name];
  if (setting.stored === 'nowhere') return undefined;
  const own = config.profiles.get(profile)?.get(name);
  if (own !== undefined && setting.isRun && config.isExposed) {
    // What would be run is shown first.
    const hint = { path: 'config get', operands: [name] };
    throw new CliError('usage', `${name} is not run: others could write config.json`, { hint });
  }
  if (own !== undefined) return { value: own, origin: { kind: 'profile', name: profile } };
  const shared = setting.stored === 'anywhere' ? config.preferences.get(name) : undefined;
  return shared === undefined ? undefined : { value: shared, origin: { kind: 'preferences' } };
}

function wantedProfile(sources: Sources, config: () => Config): Found {
  const [given] = typed('profile', sources);
  if (given) return checked('profile', given);
  const [embedded] = typed('sandbox', sources);
  if (embedded && checked('sandbox', embedded).value === 'true') {
    return { value: sandboxProfile, origin: embedded.origin };
  }
  const active = config().activeProfile;
  return active === undefined
    ? { value: defaultProfile, origin: { kind: 'default' } }
    : { value: active, origin: { kind: 'active profile' } };
}

function profileExists(name: string, { profiles }: Config): boolean {
  return builtInProfiles.includes(name) || profiles.has(name);
}

function knownProfile(wanted: Found, config: Config): Found {
  if (profileExists(wanted.value, config)) return wanted;
  const names = [...new Set([defaultProfile, ...config.profiles.keys()])].join(', ');
  throw new CliError('usage', `unknown profile "${wanted.value}" (${originText(wanted.origin)}); known: ${names}`, {
    hint: { path: 'profile list' },
  });
}

const guardedConfig: Config = {
  ...emptyConfig,
  profiles: new Map([[defaultProfile, new Map(Object.entries({ protected: 'true', readonly: 'true' }))]]),
};

function loadConfig({ flags, env, folders, warn = () => undefined, keepsRights = false }: Sources): Config {
  const namesProfile = flags['profile'] !== undefined || Boolean(env['STACKOPS_PROFILE']);
  let file: string;
  try {
    file = configFile(folders());
  } catch (error) {
    if (namesProfile) throw error;
    // Without a home there is nothing stored.
    return emptyConfig;
  }
  try {
    return readConfig(file, { warn, keepsRights });
  } catch (error) {
    if (namesProfile || !env['STACKOPS_TOKEN'] || !(error instanceof CliError)) throw error;
    // A job that brings its own token goes on; but nobody knows whether the profile was protected or read-only.
    warn(`${error.message}; ignoring the file and treating the profile as protected and read-only`);
    return guardedConfig;
  }
}
