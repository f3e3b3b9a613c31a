import { beginNamedAction } from '../actions.ts';
import { type ActionResult, type HandlersOf, refuse, type SandboxContext, serverOf, stackOf } from '../context.ts';
import { isoStamp } from '../seed/made-up.ts';
import type { SettingState, SettingValue, StackState } from '../state.ts';

export const serverHandlers: HandlersOf<'servers'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).servers.map(({ row }) => row),
  get: (context, target) => serverOf(context, target).row,
  reboot: (context, target) => {
    const { row } = serverOf(context, target);
    const namedAction = { action: 'server_reboot', server: row.uid };
    const setHealth = (health: number) => {
      row.health_state = health;
    };
    beginNamedAction(context, stackOf(context, target.stack_id), namedAction, {
      begin: () => setHealth(0),
      end: () => {
        setHealth(3);
        return { message: `Server ${row.name} rebooted.` };
      },
      // After a failed reboot, the health of the server is `failed`.
      fail: () => setHealth(4),
    });
    return { ok: true, message: `Server ${row.name} queued for reboot` };
  },
};

export const serverSettingHandlers: HandlersOf<'serverSettings'> = {
  // service.md has two lists on this path: one for the scope `public`, one for `admin`. With both, `admin` counts.
  list: (context, target) => {
    const { settings } = serverOf(context, target);
    if (context.scopes.includes('admin')) return settings.map(settingRow);
    return settings.map(({ key, value, readonly, warning_text }) => ({ key, value, readonly, warning_text }));
  },
  get: (context, { id, ...target }) => keyAndValue(findSetting(serverOf(context, target).settings, id)),
  update: (context, { id, value: text, ...target }) => {
    const { row, settings } = serverOf(context, target);
    const setting = findSetting(settings, id);
    const value = readSettingValue(setting, text);
    const stack = stackOf(context, target.stack_id);
    if (setting.key === 'server.name' && value !== row.name) checkNewServerName(stack, text);
    return beginNamedAction(context, stack, { action: `server-set: ${setting.key}`, server: row.uid }, () => {
      if (setting.key === 'server.name') row.name = String(value);
      row.updated_at = isoStamp(context.now);
      return changeSetting(context, setting, value);
    });
  },
};

function checkNewServerName({ servers }: StackState, name: string): void {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)) refuse(400, `"${name}" is not a valid server name`);
  if (servers.some(({ row }) => row.name === name)) refuse(400, `server "${name}" already exists`);
}

export const stackSettingHandlers: HandlersOf<'stackSettings'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).settings.map(settingRow),
  get: (context, { stack_id, id }) => keyAndValue(findSetting(stackOf(context, stack_id).settings, id)),
  update: (context, { stack_id, id, value: text }) => {
    const stack = stackOf(context, stack_id);
    const setting = findSetting(stack.settings, id);
    const { key } = setting;
    const value = readSettingValue(setting, text);
    return beginNamedAction(context, stack, { action: `stack-set: ${key}` }, () => {
      if (key === 'git.branch') stack.row.git_branch = String(value);
      if (key === 'maintenance.mode') stack.row.maintenance_mode = value === true;
      return changeSetting(context, setting, value);
    });
  },
};

function changeSetting({ now }: SandboxContext, setting: SettingState, value: SettingValue): ActionResult {
  Object.assign(setting, { value, updated_at: isoStamp(now) });
  return { message: `Setting ${setting.key} changed.` };
}

function findSetting(settings: readonly SettingState[], id: string): SettingState {
  const isNamed = (setting: SettingState) => String(setting.id) === id || setting.key.replaceAll('.', '-') === id;
  return settings.find(isNamed) ?? refuse(404, `setting "${id}" not found`);
}

function readSettingValue({ key, takes, readonly }: SettingState, value: string): SettingValue {
  if (readonly) refuse(400, `setting "${key}" is read-only`);
  if (takes === 'text') return value;
  const isInteger = takes === 'integer';
  if (isInteger && /^\d{1,9}$/.test(value)) return Number(value);
  if (!isInteger && ['true', '1', 'false', '0'].includes(value)) return value === 'true' || value === '1';
  return refuse(400, `setting "${key}" takes ${isInteger ? 'a whole number' : 'true or false'}; got "${value}"`);
}

function keyAndValue({ key, value }: SettingState): Pick<SettingState, 'key' | 'value'> {
  return { key, value };
}

function settingRow({ takes: _, warning_text: __, ...row }: SettingState) {
  return row;
}
