import { queueShapeA } from '../effects/queue.ts';
import { serverOf, stackOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const serverHandlers: HandlersOf<'servers'> = {
  list: (world, { stack_id }) => stackOf(world, stack_id).servers.map(({ row }) => row),
  get: (world, place) => serverOf(world, place).row,
  reboot: (world, place) => {
    const { uid, name } = serverOf(world, place).row;
    queueShapeA(world, stackOf(world, place.stack_id), {
      effect: { kind: 'server_reboot', server: uid },
      subject: { action: 'server_reboot', resource_type: 'server', resource_id: uid },
    });
    return { ok: true, message: `Server ${name} queued for reboot` };
  },
};
