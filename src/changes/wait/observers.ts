import type { Observer } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import { backups } from '../../resources/backup.ts';
import { devices } from '../../resources/device.ts';
import { users } from '../../resources/user.ts';
import { backupObserver } from './backup.ts';
import { deleteDeviceObserver, registerDeviceObserver, updateDeviceObserver, updateUserObserver } from './user.ts';

/** One observer per kind of write; a write without one is shown by nothing. */
const observers = new Map<Operation, Observer>([
  [backups.create, backupObserver],
  [backups.import, backupObserver],
  [devices.create, registerDeviceObserver],
  [devices.delete, deleteDeviceObserver],
  [devices.update, updateDeviceObserver],
  [users.update, updateUserObserver],
]);

/** How what became of a write of this operation is seen; undefined where nothing shows it. */
export function observerOf(operation: Operation): Observer | undefined {
  return observers.get(operation);
}
