import { queueShapeA } from '../actions.ts';
import { type Ending, type HandlersOf, refuse, type SandboxContext, serverOf, stackOf } from '../context.ts';
import { stamp } from '../seed/made-up.ts';
import type { SettingState, SettingValue, StackState } from '../state.ts';

export const serverHandlers: HandlersOf<'servers'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).servers.map(({ row }) => row),
  get: (context, place) => serverOf(context, place).row,
  reboot: (context, place) => {
    const { row } = serverOf(context, place);
    const about = { action: 'server_reboot', server: row.uid };
    const becomes = (health: number) => {
      row.health_state = health;
    };
    queueShapeA(context, stackOf(context, place.stack_id), about, {
      begin: () => becomes(0),
      end: () => {
        becomes(3);
        return { message: `Server ${row.name} rebooted.` };
      },
      // After a failed reboot the server is down.
      fail: () => becomes(4),
    });
    return { ok: true, message: `Server ${row.name} queued for reboot` };
  },
};

export const serverSettingHandlers: HandlersOf<'serverSettings'> = {
  // service.md has two lists on one path, one for each scope. The list for the stronger scope of the token is returned.
  list: (context, place) => {
    const { settings } = serverOf(context, place);
    if (context.scopes.includes('admin')) return settings.map(settingRow);
    return settings.map(({ key, value, readonly, warning_text }) => ({ key, value, readonly, warning_text }));
  },
  get: (context, { id, ...place }) => singleRow(settingState(serverOf(context, place).settings, id)),
  update: (context, { id, value: text, ...place }) => {
    const { row, settings } = serverOf(context, place);
    const setting = settingState(settings, id);
    const value = readSettingValue(setting, text);
    const stack = stackOf(context, place.stack_id);
    if (setting.key === 'server.name' && value !== row.name) checkName(stack, text);
    return queueShapeA(context, stack, { action: `server-set: ${setting.key}`, server: row.uid }, () => {
      if (setting.key === 'server.name') row.name = String(value);
      row.updated_at = stamp(context.now);
      return changeSetting(context, setting, value);
    });
  },
};

function checkName({ servers }: StackState, name: string): void {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)) refuse(400, `"${name}" is not a valid server name`);
  if (servers.some(({ row }) => row.name === name)) refuse(400, `server "${name}" already exists`);
}

export const stackSettingHandlers: HandlersOf<'stackSettings'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).settings.map(settingRow),
  get: (context, { stack_id, id }) => singleRow(settingState(stackOf(context, stack_id).settings, id)),
  update: (context, { stack_id, id, value: text }) => {
    const stack = stackOf(context, stack_id);
    const setting = settingState(stack.settings, id);
    const { key } = setting;
    const value = readSettingValue(setting, text);
    return queueShapeA(context, stack, { action: `stack-set: ${key}` }, () => {
      if (key === 'git.branch') stack.row.git_branch = String(value);
      if (key === 'maintenance.mode') stack.row.maintenance_mode = value === true;
      return changeSetting(context, setting, value);
    });
  },
};

function changeSetting({ now }: SandboxContext, setting: SettingState, value: SettingValue): Ending {
  Object.assign(setting, { value, updated_at: stamp(now) });
  return { message: `Setting ${setting.key} changed.` };
}

function settingState(settings: readonly SettingState[], id: string): SettingState {
  return (
    settings.find((setting) => String(setting.id) === id || setting.key.replaceAll('.', '-') === id) ??
    refuse(404, `setting "${id}" not found`)
  );
}

function readSettingValue({ key, takes, readonly }: SettingState, value: string): SettingValue {
  if (readonly) refuse(400, `setting "${key}" is read-only`);
  if (takes === 'text') return value;
  if (takes === 'integer') return /^\d{1,9}$/.test(value) ? Number(value) : refuseSetting(key, 'a whole number', value);
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : refuseSetting(key, 'true or false', value);
}

function refuseSetting(key: string, allowed: string, value: string): never {
  return refuse(400, `setting "${key}" takes ${allowed}; got "${value}"`);
}

function singleRow({ key, value }: SettingState): Pick<SettingState, 'key' | 'value'> {
  return { key, value };
}

function settingRow({
  takes: _,
  warning_text: __,
  ...row
}: SettingState): Omit<SettingState, 'takes' | 'warning_text'> {
  return row;
}
