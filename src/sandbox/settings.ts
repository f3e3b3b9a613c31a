import { refuse } from './refusal.ts';
import type { HeldSetting, SettingValue } from './state.ts';

/** Finds the setting of a path, by number or by key with dashes for dots; throws 404. */
export function heldSetting(settings: readonly HeldSetting[], id: string): HeldSetting {
  return (
    settings.find((setting) => String(setting.id) === id || setting.key.replaceAll('.', '-') === id) ??
    refuse(404, `setting "${id}" not found`)
  );
}

/** Converts a new value; throws 400 for a read-only setting and for a value of another type. */
export function readSettingValue({ key, takes, readonly }: HeldSetting, value: string): SettingValue {
  if (readonly) refuse(400, `setting "${key}" is read-only`);
  if (takes === 'text') return value;
  if (takes === 'integer') return /^\d{1,9}$/.test(value) ? Number(value) : wrong(key, 'a whole number', value);
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : wrong(key, 'true or false', value);
}

function wrong(key: string, wanted: string, value: string): never {
  return refuse(400, `setting "${key}" takes ${wanted}; got "${value}"`);
}

/** An item of a list with ids. */
export function settingRow({
  takes: _,
  warning_text: __,
  ...row
}: HeldSetting): Omit<HeldSetting, 'takes' | 'warning_text'> {
  return row;
}
