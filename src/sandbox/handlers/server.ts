import { queueShapeA } from '../actions.ts';
import { stamp } from '../seed/made-up.ts';
import type { HeldSetting, HeldStack, SettingValue } from '../state.ts';
import { type Ending, type HandlersOf, refuse, type SandboxWorld, serverOf, stackOf } from '../world.ts';

export const serverHandlers: HandlersOf<'servers'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).servers.map(({ row }) => row),
  get: (world, place) => serverOf(world, place).row,
  reboot: (world, place) => {
    const { row } = serverOf(world, place);
    const about = { action: 'server_reboot', server: row.uid };
    const becomes = (health: number) => {
      row.health_state = health;
    };
    queueShapeA(world, stackOf(world, place.stack_id), about, {
      begin: () => becomes(0),
      end: () => {
        becomes(3);
        return { message: `Server ${row.name} rebooted.` };
      },
      // It stays down.
      fail: () => becomes(4),
    });
    return { ok: true, message: `Server ${row.name} queued for reboot` };
  },
};

export const serverSettingHandlers: HandlersOf<'serverSettings'> = {
  // service.md has two lists on one path, one for each scope; the sandbox returns the one for the stronger scope of the
  // token.
  list: (world, place) => {
    const { settings } = serverOf(world, place);
    if (world.scopes.includes('admin')) return settings.map(settingRow);
    return settings.map(({ key, value, readonly, warning_text }) => ({ key, value, readonly, warning_text }));
  },
  get: (world, { id, ...place }) => singleRow(heldSetting(serverOf(world, place).settings, id)),
  update: (world, { id, value: text, ...place }) => {
    const { row, settings } = serverOf(world, place);
    const setting = heldSetting(settings, id);
    const value = readSettingValue(setting, text);
    const stack = stackOf(world, place.stack_id);
    if (setting.key === 'server.name' && value !== row.name) checkName(stack, text);
    return queueShapeA(world, stack, { action: `server-set: ${setting.key}`, server: row.uid }, () => {
      if (setting.key === 'server.name') row.name = String(value);
      row.updated_at = stamp(world.now);
      return changeSetting(world, setting, value);
    });
  },
};

function checkName({ servers }: HeldStack, name: string): void {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)) refuse(400, `"${name}" is not a valid server name`);
  if (servers.some(({ row }) => row.name === name)) refuse(400, `server "${name}" already exists`);
}

export const stackSettingHandlers: HandlersOf<'stackSettings'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).settings.map(settingRow),
  get: (world, { stack_id, id }) => singleRow(heldSetting(stackOf(world, stack_id).settings, id)),
  update: (world, { stack_id, id, value: text }) => {
    const stack = stackOf(world, stack_id);
    const setting = heldSetting(stack.settings, id);
    const { key } = setting;
    const value = readSettingValue(setting, text);
    return queueShapeA(world, stack, { action: `stack-set: ${key}` }, () => {
      if (key === 'git.branch') stack.row.git_branch = String(value);
      if (key === 'maintenance.mode') stack.row.maintenance_mode = value === true;
      return changeSetting(world, setting, value);
    });
  },
};

function changeSetting({ now }: SandboxWorld, setting: HeldSetting, value: SettingValue): Ending {
  Object.assign(setting, { value, updated_at: stamp(now) });
  return { message: `Setting ${setting.key} changed.` };
}

function heldSetting(settings: readonly HeldSetting[], id: string): HeldSetting {
  return (
    settings.find((setting) => String(setting.id) === id || setting.key.replaceAll('.', '-') === id) ??
    refuse(404, `setting "${id}" not found`)
  );
}

function readSettingValue({ key, takes, readonly }: HeldSetting, value: string): SettingValue {
  if (readonly) refuse(400, `setting "${key}" is read-only`);
  if (takes === 'text') return value;
  if (takes === 'integer') return /^\d{1,9}$/.test(value) ? Number(value) : wrong(key, 'a whole number', value);
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : wrong(key, 'true or false', value);
}

function wrong(key: string, wanted: string, value: string): never {
  return refuse(400, `setting "${key}" takes ${wanted}; got "${value}"`);
}

function singleRow({ key, value }: HeldSetting): Pick<HeldSetting, 'key' | 'value'> {
  return { key, value };
}

function settingRow({ takes: _, warning_text: __, ...row }: HeldSetting): Omit<HeldSetting, 'takes' | 'warning_text'> {
  return row;
}
