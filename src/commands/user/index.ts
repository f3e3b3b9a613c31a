import type { Menu, Presentation } from '../../contract/command.ts';
import { group, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { call } from '../../kinds/call.ts';
import { get } from '../../kinds/get.ts';
import { Device } from '../../resources/device.ts';
import { User, user, users } from '../../resources/user.ts';
import { profileOf, roleIn } from './access-profile.ts';
import { deviceCommands } from './device.ts';
import { updateUser } from './update.ts';

export const userCommands: Menu = {
  'user list': call(users.list, { examples: ['stackops user list', 'stackops user list --columns id,email,locked'] }),
  'user get': get(user, users.get, {
    examples: ['stackops user get 7', 'stackops user get ada@harbour.example --json'],
    present: presentUser,
  }),
  'user update': updateUser,
  ...deviceCommands,
};

/** Rights as one line of their names, and a line for every role and device. */
function presentUser(user: RecordOf<typeof User>): Presentation {
  const { access_profile: _, devices: __, ...plain } = User.fields;
  const profile = profileOf(user);
  const { account_profile, stack_profiles } = profile;
  const { default_roles, ...rights } = account_profile;
  const granted = Object.keys(rights).filter((name) => rights[name] === true);
  const access: Readonly<Record<string, string | null>> = {
    rights: granted.join(', ') || '-',
    default_roles: Array.isArray(default_roles) ? default_roles.join(', ') || '-' : '-',
    ...Object.fromEntries(stack_profiles.map(({ stack_uid }) => [`role in ${stack_uid}`, roleIn(profile, stack_uid)])),
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

/** Each moment once, whichever of its two spellings the service sent. */
function shownDevice(device: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { created_at_iso, updated_at_iso, ...rest } = device;
  return {
    ...rest,
    created_at: rest['created_at'] ?? created_at_iso,
    updated_at: rest['updated_at'] ?? updated_at_iso,
  };
}
