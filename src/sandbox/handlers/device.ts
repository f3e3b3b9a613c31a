import { refuse } from '../refusal.ts';
import { plainStamp, stamp } from '../seed/made-up.ts';
import type { HeldUser, StoredDevice } from '../state.ts';
import { type SandboxWorld, userOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const deviceHandlers: HandlersOf<'devices'> = {
  create: (world, { id, device_type, sub_type, token }) => {
    const user = userOf(world, id);
    if (token.trim() === '') refuse(400, 'the token of a device cannot be empty');
    if (user.devices.some((device) => device.token === token)) refuse(400, 'a device with this token already exists');
    // Notifications to Android are documented as unavailable, so nothing will arrive there.
    const times = { created_at: plainStamp(world.now), created_at_iso: stamp(world.now) };
    const device = { device_type, sub_type, token, enabled: device_type === 1, ...times, ...changed(world) };
    user.devices.push(device);
    return device;
  },
  update: (world, { id, device_type, sub_type, token }) => {
    const enabled = device_type === 1;
    Object.assign(deviceOf(userOf(world, id), token), { device_type, sub_type, enabled, ...changed(world) });
    return undefined;
  },
  delete: (world, { id, token }) => {
    const user = userOf(world, id);
    const device = deviceOf(user, token);
    user.devices = user.devices.filter((other) => other !== device);
    return undefined;
  },
};

function changed({ now }: SandboxWorld): Pick<StoredDevice, 'updated_at' | 'updated_at_iso'> {
  return { updated_at: plainStamp(now), updated_at_iso: stamp(now) };
}

/** The token is a secret, so the message leaves it out. */
function deviceOf({ devices }: HeldUser, token: string): StoredDevice {
  return devices.find((device) => device.token === token) ?? refuse(404, 'no device has this token');
}
