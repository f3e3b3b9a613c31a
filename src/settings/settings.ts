import { once } from '../contract/values/once.ts';
import { CliError } from '../errors/cli-error.ts';
import { readValue } from '../fields/read-value.ts';
import type { Folders } from '../files/folders.ts';
import { type Config, configFile, emptyConfig, readConfig } from './config-file.ts';
import { originText, type SettingName, settingTable, type ValueOrigin } from './table.ts';

export interface Resolved {
  readonly value: string | undefined;
  readonly origin: ValueOrigin;
}
type Found = Resolved & { readonly value: string };
export interface Settings {
  /** Throws usage for an invalid value. An unknown profile is an error only for settings stored in profiles. */
  get(name: SettingName): Resolved;
  /** Name of the profile. Throws usage when it is unknown. */
  readonly profile: string;
  /** Name of the profile, unchecked: for commands that create or repair profiles. */
  readonly requestedProfile: Found;
}
export interface Sources {
  /** Flags by setting name: `{ base_url: 'https://…' }`; on/off flags are `'true'`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: () => Folders;
  readonly warn?: (line: string) => void;
  /** True leaves permissions that are too wide as they are. */
  readonly keepsRights?: boolean;
}
export const defaultProfile = 'default';
/** The default with --sandbox, so that practice leaves the real profiles alone. */
export const sandboxProfile = 'sandbox';
/** These profiles exist without being created. */
const builtInProfiles: readonly string[] = [defaultProfile, sandboxProfile];

/** Precedence: flag, environment, profile, preferences, default. Files are read at the first `get`. */
export function resolveSettings(sources: Sources): Settings {
  const config = once(() => loadConfig(sources));
  const requested = () => requestedProfile(sources, config);
  const settings: Settings = {
    get(name) {
      if (name === 'profile') return requested();
      const setting = settingTable[name];
      const profile = requested();
      const isKnown = profileExists(profile.value, config());
      if (!isKnown && name === 'protected') return { value: 'true', origin: { kind: 'unknown profile' } };
      // Other settings still resolve, so that the commands that repair an unknown profile can run.
      if (!isKnown && setting.stored === 'profile') knownProfile(profile, config());
      const found = firstOf(name, [...overridesOf(name, sources), storedIn(config(), name, profile.value)]);
      if (found) return checkFound(name, found);
      const address = name === 'auth_url' ? settings.get('base_url').value : undefined;
      if (address) return { value: new URL(address).origin, origin: { kind: 'origin of base_url' } };
      return { value: setting.preset, origin: { kind: 'default' } };
    },
    get profile() {
      return knownProfile(requested(), config()).value;
    },
    get requestedProfile() {
      return requested();
    },
  };
  return settings;
}

function checkFound(name: SettingName, { value, origin }: Found): Found {
  return { value: checkSetting(name, value, origin), origin };
}

/** Returns the value in its normal form. Throws usage with the value, and with its origin unless it is an argument. */
export function checkSetting(name: SettingName, value: string, origin?: ValueOrigin): string {
  // Node decodes bytes that are not UTF-8 to U+FFFD; such a name would match nothing.
  if (value.includes('\uFFFD')) throw new CliError('usage', `${subjectOf(name, origin)} is not valid UTF-8`);
  const setting = settingTable[name];
  const read = readValue(value, setting, subjectOf(name, origin));
  // A duration stays as it was typed.
  return setting.unit ? value : String(read);
}

function subjectOf(setting: SettingName, origin: ValueOrigin | undefined): string {
  if (!origin) return setting;
  const { kind, name = setting } = origin;
  return kind === 'flag' || kind === 'environment' ? name : `${setting} (${originText(origin)})`;
}

function firstOf(name: SettingName, candidates: readonly (Found | undefined)[]): Found | undefined {
  const found = candidates.filter((one) => one !== undefined);
  const [first] = found;
  if (name !== 'readonly') return first;
  // `readonly` from any origin counts: no other origin lifts it.
  return found.find((one) => checkFound(name, one).value === 'true') ?? first;
}

function overridesOf(name: SettingName, { flags, env }: Sources): readonly Found[] {
  const { flag, variable = '' } = settingTable[name];
  const [flagValue, variableValue] = [flags[name], env[variable]];
  return [
    ...(flagValue === undefined ? [] : [{ value: flagValue, origin: { kind: 'flag', name: flag } as const }]),
    ...(variableValue ? [{ value: variableValue, origin: { kind: 'environment', name: variable } as const }] : []),
  ];
}

function storedIn(config: Config, name: SettingName, profile: string): Found | undefined {
  const setting = settingTable[name];
  if (setting.stored === 'nowhere') return undefined;
  const own = config.profiles.get(profile)?.get(name);
  if (own !== undefined && setting.isRun && config.isExposed) {
    // The hint shows the program, which another person may have written.
    const hint = { path: 'config get', operands: [name] };
    throw new CliError('usage', `${name} is not run: others could write config.json`, { hint });
  }
  if (own !== undefined) return { value: own, origin: { kind: 'profile', name: profile } };
  const shared = setting.stored === 'anywhere' ? config.preferences.get(name) : undefined;
  return shared === undefined ? undefined : { value: shared, origin: { kind: 'preferences' } };
}

function requestedProfile(sources: Sources, config: () => Config): Found {
  const [override] = overridesOf('profile', sources);
  if (override) return checkFound('profile', override);
  const [embedded] = overridesOf('sandbox', sources);
  if (embedded && checkFound('sandbox', embedded).value === 'true') {
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

export function profileNames({ profiles }: Config): readonly string[] {
  return [...new Set([defaultProfile, ...profiles.keys()])];
}

function knownProfile(requested: Found, config: Config): Found {
  if (profileExists(requested.value, config)) return requested;
  const names = profileNames(config).join(', ');
  const { value, origin } = requested;
  const message = `unknown profile "${value}" (${originText(origin)}); known: ${names}`;
  throw new CliError('usage', message, { hint: { path: 'profile list' } });
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
    // Without a home directory nothing is stored.
    return emptyConfig;
  }
  try {
    return readConfig(file, { warn, keepsRights });
  } catch (error) {
    if (namesProfile || !env['STACKOPS_TOKEN'] || !(error instanceof CliError)) throw error;
    // A job with its own token continues. The profile may have been protected or read-only, so both apply.
    warn(`${error.message}; ignoring the file and treating the profile as protected and read-only`);
    return guardedConfig;
  }
}

export const setAddress = 'set base_url, such as https://host/api/3: stackops profile set --help';

/** Address of the service, such as `https://host/api/3`. Throws usage with the command that sets it. */
export function baseUrlOf(settings: Settings): URL {
  const { value } = settings.get('base_url');
  if (value) return new URL(value);
  throw new CliError('usage', 'no service address yet; with --sandbox none is needed', { hint: setAddress });
}

/** Address of the service without a trailing slash. */
export function addressOf(settings: Settings): string {
  return baseUrlOf(settings).href.replace(/\/$/, '');
}

/** Address of the sign-in pages. Throws usage when neither it nor the service's address is known. */
export function authUrlOf(settings: Settings): URL {
  const { value } = settings.get('auth_url');
  return new URL(value ?? baseUrlOf(settings).origin);
}

/** When another host may have sent the response and our address names no API version, the hint names one. */
export function aboutAddress(error: CliError, settings: Settings): CliError {
  if (!error.details.doubtsAddress || /\/v?\d+\/?$/.test(baseUrlOf(settings).pathname)) return error;
  const address = addressOf(settings);
  return error.with({ hint: `${address} has no API version; the address may be ${address}/api/3` });
}
