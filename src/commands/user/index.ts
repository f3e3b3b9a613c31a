import { call } from '../../builders/call.ts';
import { get } from '../../builders/get.ts';
import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { group, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { originalOf, valueText, withOriginal } from '../../contract/values/json.ts';
import { stacks, titleOf } from '../../resources/stack.ts';
import { Device, User, user, users } from '../../resources/user.ts';
import { accessOf } from './access.ts';
import { deviceCommands } from './device.ts';
import { updateCommand } from './update.ts';

export const userCommands: Menu = {
  'user list': call(users.list, { examples: ['stackops user list', 'stackops user list --fields id,email,locked'] }),
  'user get': get(user, users.get, {
    examples: ['stackops user get 7', 'stackops user get ada@harbour.example --json'],
    addDisplayValues: withStackNames,
    present: presentUser,
  }),
  'user update': updateCommand,
  ...deviceCommands,
};

/** A user, and by UID the names of stacks in which the user may have a role. */
type UserWithStackNames = RecordOf<typeof User> & { readonly stackNames?: ReadonlyMap<string, string> };

async function withStackNames(context: Context, userRow: RecordOf<typeof User>): Promise<UserWithStackNames> {
  const { terminal, format } = context.audience;
  if (!terminal || format !== 'table' || Object.keys(accessOf(userRow).roles ?? {}).length === 0) return userRow;
  // If the list of stacks is unreadable, roles are shown with the UIDs.
  const stackRows = await context.call(stacks.list, {}).catch(() => []);
  const titles = stackRows.map(titleOf);
  // Stacks with the same title differ only by their UID, so they are shown with the UID.
  const uniqueStacks = stackRows.filter((row) => titles.indexOf(titleOf(row)) === titles.lastIndexOf(titleOf(row)));
  const stackNames = new Map(uniqueStacks.map((row) => [row.uid, context.quote(titleOf(row))]));
  return withOriginal({ ...userRow, stackNames }, originalOf(userRow));
}

function presentUser({ stackNames, ...user }: UserWithStackNames): Presentation {
  const { access_profile: _, devices: __, ...otherFields } = User.fields;
  const { default_roles, roles = {}, ...rights } = accessOf(user);
  const grantedRights = Object.keys(rights).filter((name) => rights[name] === true);
  const access = {
    rights: valueText(grantedRights),
    default_roles: valueText(Array.isArray(default_roles) ? default_roles : []),
    ...Object.fromEntries(
      Object.entries(roles).map(([uid, role]) => [`role in ${stackNames?.get(uid) ?? uid}`, valueText(role)]),
    ),
  };
  const devices = (user.devices ?? []).map((device, index) => [`device ${index + 1}`, deviceFields(device)] as const);
  const fields = {
    ...otherFields,
    ...Object.fromEntries(Object.keys(access).map((name) => [name, text('Access.')])),
    ...Object.fromEntries(devices.map(([name]) => [name, group(Device.fields, 'A device.')])),
  };
  const row = { ...user, ...access, ...Object.fromEntries(devices) };
  return { kind: 'detail', record: { ...User, fields }, row };
}

function deviceFields({ created_at_iso, updated_at_iso, ...device }: Readonly<Record<string, unknown>>) {
  // The service sends each time in one of two fields, so both are read.
  const created_at = device['created_at'] ?? created_at_iso;
  const updated_at = device['updated_at'] ?? updated_at_iso;
  return { ...device, created_at, updated_at };
}
