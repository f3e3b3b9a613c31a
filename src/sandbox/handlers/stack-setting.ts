import { queueShapeA } from '../effects/queue.ts';
import { heldSetting, readSettingValue, settingRow } from '../settings.ts';
import { stackOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const stackSettingHandlers: HandlersOf<'stackSettings'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).settings.map(settingRow),
  get: (world, { stack_id, id }) => {
    const { key, value } = heldSetting(stackOf(world, stack_id).settings, id);
    return { key, value };
  },
  update: (world, { stack_id, id, value }) => {
    const stack = stackOf(world, stack_id);
    const setting = heldSetting(stack.settings, id);
    return queueShapeA(world, stack, {
      effect: { kind: 'stack_setting', key: setting.key, value: readSettingValue(setting, value) },
      subject: { action: `stack-set: ${setting.key}`, resource_type: 'stack', resource_id: stack_id },
    });
  },
};
