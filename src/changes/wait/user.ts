import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { Device, devices } from '../../resources/device.ts';
import { type User, users } from '../../resources/user.ts';

type UserRow = RecordOf<typeof User>;
type DeviceRow = RecordOf<typeof Device>;
type Described = InputOf<typeof devices.create>;

export const registerDeviceObserver: Observer<Described, undefined, DeviceRow> = {
  look: (read, wish) => findDevice(read, wish),
};

export const updateDeviceObserver: Observer<Described, undefined, true> = {
  look: async (read, wish) => ((await findDevice(read, wish)) ? true : undefined),
};

export const deleteDeviceObserver: Observer<InputOf<typeof devices.delete>, undefined, true> = {
  look: async (read, { id, token }) =>
    (await devicesOf(read, id)).some((one) => one.token === token) ? undefined : true,
};

/** A user was changed when every right and role that was sent is shown; the service merges them. */
export const updateUserObserver: Observer<InputOf<typeof users.update>, undefined, UserRow> = {
  look: async (read, { id, access_profile }) => {
    const user = await read(users.get, { id });
    return includes(user.access_profile, access_profile) ? user : undefined;
  },
};

async function findDevice(read: Read, { id, token, device_type, sub_type }: Described): Promise<DeviceRow | undefined> {
  return (await devicesOf(read, id)).find(
    (one) => one.token === token && one.device_type === device_type && one.sub_type === sub_type,
  );
}

async function devicesOf(read: Read, id: number): Promise<readonly DeviceRow[]> {
  return (await read(users.get, { id })).devices ?? [];
}

/** Whether everything in `part` is in `whole` too; lists are sets. */
function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((one) => whole.some((other) => includes(other, one)));
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  const known = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => includes(known.get(name), value));
}
