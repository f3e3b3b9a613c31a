import { queueShapeA } from '../actions.ts';
import { stamp } from '../seed/made-up.ts';
import type { HeldServer, HeldSetting, HeldStack, SettingValue } from '../state.ts';
import { done, type Ending, failed, type HandlersOf, type LaterOf, refuse, serverOf, stackOf } from '../world.ts';

export const serverHandlers: HandlersOf<'servers'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).servers.map(({ row }) => row),
  get: (world, place) => serverOf(world, place).row,
  reboot: (world, place) => {
    const { row } = serverOf(world, place);
    queueShapeA(world, stackOf(world, place.stack_id), 'server_reboot', { kind: 'server_reboot', server: row.uid });
    row.health_state = 0;
    return { ok: true, message: `Server ${row.name} queued for reboot` };
  },
};

export const serverSettingHandlers: HandlersOf<'serverSettings'> = {
  // service.md has two lists on one path, one for each scope; the sandbox returns the one for the stronger scope of the
  // token.
  list: (world, place) => {
    const { settings } = serverOf(world, place);
    if (world.caller.scopes.includes('admin')) return settings.map(settingRow);
    return settings.map(({ key, value, readonly, warning_text }) => ({ key, value, readonly, warning_text }));
  },
  get: (world, { id, ...place }) => {
    const { key, value } = heldSetting(serverOf(world, place).settings, id);
    return { key, value };
  },
  update: (world, { id, value: text, ...place }) => {
    const { row, settings } = serverOf(world, place);
    const setting = heldSetting(settings, id);
    const value = readSettingValue(setting, text);
    const stack = stackOf(world, place.stack_id);
    if (setting.key === 'server.name' && value !== row.name) checkName(stack, text);
    const effect = { kind: 'server_setting', server: row.uid, key: setting.key, value } as const;
    return queueShapeA(world, stack, `server-set: ${setting.key}`, effect);
  },
};

function checkName({ servers }: HeldStack, name: string): void {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)) refuse(400, `"${name}" is not a valid server name`);
  if (servers.some(({ row }) => row.name === name)) refuse(400, `server "${name}" already exists`);
}

export const serverLater: LaterOf<'server_reboot' | 'server_setting'> = {
  server_reboot: {
    end: ({ owner }, { server: uid }) => {
      const server = findServer(owner, uid);
      if (!server) return failed(`server "${uid}" no longer exists`);
      server.row.health_state = 3;
      return done(`Server ${server.row.name} rebooted.`);
    },
    // It stays down.
    fail: (stack, { server: uid }) => {
      const server = findServer(stack, uid);
      if (server) server.row.health_state = 4;
    },
  },
  server_setting: {
    end: ({ owner, atMs }, { server: uid, key, value }) => {
      const server = findServer(owner, uid);
      if (!server) return failed(`server "${uid}" no longer exists`);
      if (key === 'server.name') server.row.name = String(value);
      server.row.updated_at = stamp(atMs);
      return changeSetting(server.settings, key, value, atMs);
    },
  },
};

function findServer({ servers }: HeldStack, uid: string): HeldServer | undefined {
  return servers.find(({ row }) => row.uid === uid);
}

export const stackSettingHandlers: HandlersOf<'stackSettings'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).settings.map(settingRow),
  get: (world, { stack_id, id }) => {
    const { key, value } = heldSetting(stackOf(world, stack_id).settings, id);
    return { key, value };
  },
  update: (world, { stack_id, id, value }) => {
    const stack = stackOf(world, stack_id);
    const setting = heldSetting(stack.settings, id);
    const effect = { kind: 'stack_setting', key: setting.key, value: readSettingValue(setting, value) } as const;
    return queueShapeA(world, stack, `stack-set: ${setting.key}`, effect);
  },
};

export const stackSettingLater: LaterOf<'stack_setting'> = {
  stack_setting: {
    end: ({ owner, atMs }, { key, value }) => {
      if (key === 'git.branch') owner.row.git_branch = String(value);
      if (key === 'maintenance.mode') owner.row.maintenance_mode = value === true;
      return changeSetting(owner.settings, key, value, atMs);
    },
  },
};

function changeSetting(settings: readonly HeldSetting[], key: string, value: SettingValue, atMs: number): Ending {
  const setting = settings.find((other) => other.key === key);
  if (!setting) return failed(`setting "${key}" no longer exists`);
  Object.assign(setting, { value, updated_at: stamp(atMs) });
  return done(`Setting ${key} changed.`);
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

function settingRow({ takes: _, warning_text: __, ...row }: HeldSetting): Omit<HeldSetting, 'takes' | 'warning_text'> {
  return row;
}
