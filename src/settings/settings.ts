import type { Environment } from '../contract/host.ts';
import { once } from '../contract/values/once.ts';
import { CliError } from '../errors/cli-error.ts';
import { readValue } from '../fields/read-value.ts';
import type { Folders } from '../files/folders.ts';
import { type Config, configFilePath, emptyConfig, readConfig } from './config-file.ts';
import { originText, type SettingName, settingTable, type ValueOrigin } from './table.ts';

export type ResolvedValue = { readonly value: string | undefined; readonly origin: ValueOrigin };
type FoundValue = ResolvedValue & { readonly value: string };
export interface Settings {
  /** Throws `usage` for an invalid value, and for an unknown profile if the setting is stored in profiles only. */
  get(name: SettingName): ResolvedValue;
  /** Name of the profile. Throws `usage` if there is no such profile. */
  readonly profile: string;
  /** Name of the profile, which may not exist, for commands that create or repair profiles. */
  readonly requestedProfile: FoundValue;
}
export interface SettingSources {
  /** Flags by setting name: `{ base_url: 'https://…' }`; on/off flags are `'true'`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Environment;
  readonly folders: () => Folders;
  readonly warn?: (line: string) => void;
  /** True to leave the permissions of config.json as they are. */
  readonly keepsRights?: boolean;
}
export const defaultProfile = 'default';
/** Profile that `--sandbox` uses by default, so that practising does not change real profiles. */
export const sandboxProfile = 'sandbox';
const builtInProfiles: readonly string[] = [defaultProfile, sandboxProfile];

/** Returns the settings, by precedence: flag, environment, profile, preferences, default. Reads files at first use. */
export function resolveSettings(sources: SettingSources): Settings {
  const getConfig = once(() => loadConfig(sources));
  const findProfile = () => findRequestedProfile(sources, getConfig);
  const settings: Settings = {
    get(name) {
      if (name === 'profile') return findProfile();
      const setting = settingTable[name];
      const profile = findProfile();
      const isKnownProfile = profileExists(profile.value, getConfig());
      if (!isKnownProfile && name === 'protected') return { value: 'true', origin: { kind: 'unknown profile' } };
      // Settings of other kinds still resolve, so that commands that repair an unknown profile can run.
      if (setting.stored === 'profile') requireProfile(profile, getConfig());
      const storedValue = findStoredValue(getConfig(), name, profile.value);
      const foundValue = strongestValue(name, [...overridesOf(name, sources), storedValue]);
      if (foundValue) return normaliseFoundValue(name, foundValue);
      const address = name === 'auth_url' ? settings.get('base_url').value : undefined;
      if (address) return { value: new URL(address).origin, origin: { kind: 'origin of base_url' } };
      return { value: setting.preset, origin: { kind: 'default' } };
    },
    get profile() {
      return requireProfile(findProfile(), getConfig()).value;
    },
    get requestedProfile() {
      return findProfile();
    },
  };
  return settings;
}

function normaliseFoundValue(name: SettingName, { value, origin }: FoundValue): FoundValue {
  return { value: normaliseSetting(name, value, origin), origin };
}

/** Returns the value in its normal format. Throws `usage`, with the origin of the value if there is one. */
export function normaliseSetting(name: SettingName, value: string, origin?: ValueOrigin): string {
  // Node decodes bytes that are not UTF-8 to U+FFFD. A name with U+FFFD would match nothing, so it is refused.
  if (value.includes('\uFFFD')) throw new CliError('usage', `${settingLabel(name, origin)} is not valid UTF-8`);
  const setting = settingTable[name];
  const normalValue = readValue(value, setting, settingLabel(name, origin));
  // A duration stays as it was typed.
  return setting.unit ? value : String(normalValue);
}

function settingLabel(setting: SettingName, origin: ValueOrigin | undefined): string {
  if (!origin) return setting;
  const { kind, name = setting } = origin;
  return kind === 'flag' || kind === 'environment' ? name : `${setting} (${originText(origin)})`;
}

function strongestValue(name: SettingName, candidates: readonly (FoundValue | undefined)[]): FoundValue | undefined {
  const foundValues = candidates.filter((one) => one !== undefined);
  const [first] = foundValues;
  if (name !== 'readonly') return first;
  // `true` from any origin wins, so a flag cannot lift `readonly` that the profile sets.
  return foundValues.find((one) => normaliseFoundValue(name, one).value === 'true') ?? first;
}

function overridesOf(name: SettingName, { flags, env }: SettingSources): readonly FoundValue[] {
  const { flag, variable = '' } = settingTable[name];
  const [flagValue, variableValue] = [flags[name], env[variable]];
  return [
    ...(flagValue === undefined ? [] : [{ value: flagValue, origin: { kind: 'flag', name: flag } as const }]),
    ...(variableValue ? [{ value: variableValue, origin: { kind: 'environment', name: variable } as const }] : []),
  ];
}

function findStoredValue(config: Config, name: SettingName, profile: string): FoundValue | undefined {
  const setting = settingTable[name];
  if (setting.stored === 'nowhere') return undefined;
  const profileValue = config.profiles.get(profile)?.get(name);
  if (profileValue !== undefined && setting.isProgram && config.isExposed) {
    // The hint is a command that shows the value, because another user may have written it.
    const hint = { path: 'config get', operands: [name] };
    throw new CliError('usage', `${name} is not run: others could write config.json`, { hint });
  }
  if (profileValue !== undefined) return { value: profileValue, origin: { kind: 'profile', name: profile } };
  const preferredValue = setting.stored === 'anywhere' ? config.preferences.get(name) : undefined;
  return preferredValue === undefined ? undefined : { value: preferredValue, origin: { kind: 'preferences' } };
}

function findRequestedProfile(sources: SettingSources, getConfig: () => Config): FoundValue {
  const [override] = overridesOf('profile', sources);
  if (override) return normaliseFoundValue('profile', override);
  const [sandboxOverride] = overridesOf('sandbox', sources);
  if (sandboxOverride && normaliseFoundValue('sandbox', sandboxOverride).value === 'true') {
    return { value: sandboxProfile, origin: sandboxOverride.origin };
  }
  const { activeProfile } = getConfig();
  if (activeProfile === undefined) return { value: defaultProfile, origin: { kind: 'default' } };
  return { value: activeProfile, origin: { kind: 'active profile' } };
}

function profileExists(name: string, { profiles }: Config): boolean {
  return builtInProfiles.includes(name) || profiles.has(name);
}

export function profileNames({ profiles }: Config): readonly string[] {
  return [...new Set([defaultProfile, ...profiles.keys()])];
}

function requireProfile(profile: FoundValue, config: Config): FoundValue {
  if (profileExists(profile.value, config)) return profile;
  const names = profileNames(config).join(', ');
  const message = `unknown profile "${profile.value}" (${originText(profile.origin)}); known: ${names}`;
  throw new CliError('usage', message, { hint: { path: 'profile list' } });
}

const protectedConfig: Config = {
  ...emptyConfig,
  profiles: new Map([[defaultProfile, new Map(Object.entries({ protected: 'true', readonly: 'true' }))]]),
};

function loadConfig({ flags, env, folders, warn = () => undefined, keepsRights = false }: SettingSources): Config {
  const isProfileNamed = flags['profile'] !== undefined || Boolean(env['STACKOPS_PROFILE']);
  let file: string;
  try {
    file = configFilePath(folders());
  } catch (error) {
    if (isProfileNamed) throw error;
    // There is no folder for the config file, so nothing is stored.
    return emptyConfig;
  }
  try {
    return readConfig(file, { warn, keepsRights });
  } catch (error) {
    if (isProfileNamed || !env['STACKOPS_TOKEN'] || !(error instanceof CliError)) throw error;
    // With STACKOPS_TOKEN the job continues. Its profile may be protected and read-only, so both are assumed.
    warn(`${error.message}; ignoring the file and treating the profile as protected and read-only`);
    return protectedConfig;
  }
}

export const missingAddressHint = 'set base_url, such as https://host/api/3: stackops profile set --help';

/** Returns the address of the service, such as `https://host/api/3`. Throws `usage` if it is not set. */
export function baseUrlOf(settings: Settings): URL {
  const { value } = settings.get('base_url');
  if (value) return new URL(value);
  throw new CliError('usage', 'no service address yet; with --sandbox none is needed', { hint: missingAddressHint });
}

export function serviceAddressOf(settings: Settings): string {
  return baseUrlOf(settings).href.replace(/\/$/, '');
}

/** Returns the address of the sign-in pages. Throws `usage` if neither `auth_url` nor `base_url` is set. */
export function authUrlOf(settings: Settings): URL {
  const { value } = settings.get('auth_url');
  return new URL(value ?? baseUrlOf(settings).origin);
}

/** Returns the error, with a hint to add an API version if our address has none and another host may have answered. */
export function withAddressHint(error: CliError, settings: Settings): CliError {
  if (!error.details.doubtsAddress || /\/v?\d+\/?$/.test(baseUrlOf(settings).pathname)) return error;
  const address = serviceAddressOf(settings);
  return error.with({ hint: `${address} has no API version; the address may be ${address}/api/3` });
}
