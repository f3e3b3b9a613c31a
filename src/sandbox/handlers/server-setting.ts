import { queueShapeA } from '../effects/queue.ts';
import { refuse } from '../refusal.ts';
import { heldSetting, readSettingValue, settingRow } from '../settings.ts';
import type { HeldStack } from '../state.ts';
import { serverOf, stackOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

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
    return queueShapeA(world, stack, {
      effect: { kind: 'server_setting', server: row.uid, key: setting.key, value },
      subject: { action: `server-set: ${setting.key}`, resource_type: 'server', resource_id: row.uid },
    });
  },
};

function checkName({ servers }: HeldStack, name: string): void {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)) refuse(400, `"${name}" is not a valid server name`);
  if (servers.some(({ row }) => row.name === name)) refuse(400, `server "${name}" already exists`);
}
