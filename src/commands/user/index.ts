import type { Menu, Presentation } from '../../contract/command.ts';
import { group, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { call } from '../../kinds/call.ts';
import { get } from '../../kinds/get.ts';
import { valueText } from '../../kinds/perform/summary.ts';
import { Device } from '../../resources/device.ts';
import { User, user, users } from '../../resources/user.ts';
import { accessOf } from './access.ts';
import { deviceCommands } from './device.ts';
import { updateUser } from './update.ts';

export const userCommands: Menu = {
  'user list': call(users.list, { examples: ['stackops user list', 'stackops user list --fields id,email,locked'] }),
  'user get': get(user, users.get, {
    examples: ['stackops user get 7', 'stackops user get ada@harbour.example --json'],
    present: presentUser,
  }),
  'user update': updateUser,
  ...deviceCommands,
};

/** One line for all rights, and one for each role and each device. */
function presentUser(user: RecordOf<typeof User>): Presentation {
  const { access_profile: _, devices: __, ...plain } = User.fields;
  const { default_roles, roles = {}, ...rights } = accessOf(user);
  const granted = Object.keys(rights).filter((name) => rights[name] === true);
  const access = {
    rights: valueText(granted),
    default_roles: valueText(Array.isArray(default_roles) ? default_roles : []),
    ...Object.fromEntries(Object.entries(roles).map(([uid, role]) => [`role in ${uid}`, valueText(role)])),
  };
  const devices = (user.devices ?? []).map((device, index) => [`device ${index + 1}`, shownDevice(device)] as const);
  const fields = {
    ...plain,
    ...Object.fromEntries(Object.keys(access).map((name) => [name, text('Access.')])),
    ...Object.fromEntries(devices.map(([name]) => [name, group(Device.fields, 'A device.')])),
  };
  const row = { ...user, ...access, ...Object.fromEntries(devices) };
  return { kind: 'detail', record: { ...User, fields }, row };
}

/** Each time once, in whichever of its two formats the service sent it. */
function shownDevice(device: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { created_at_iso, updated_at_iso, ...rest } = device;
  return {
    ...rest,
    created_at: rest['created_at'] ?? created_at_iso,
    updated_at: rest['updated_at'] ?? updated_at_iso,
  };
}
