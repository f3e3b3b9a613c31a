import { flag, instant, integer, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { nothing, one } from '../contract/reply.ts';

/** Names of the codes 1, 2, …; Android is documented as not available. */
export const deviceTypes = ['ios', 'android'] as const;
export const deviceModels = ['iphone', 'ipad', 'ipod'] as const;

/** Plain timestamps are `YYYY-MM-DD HH:MM:SS UTC`; those ending in `_iso` are ISO 8601 (service.md, Conventions 4). */
export const Device = record(
  'device',
  {
    device_type: integer('Type of device.', { meanings: ['-', ...deviceTypes], label: 'type' }),
    sub_type: integer('Model.', { meanings: ['-', ...deviceModels], label: 'model' }),
    enabled: flag('Whether it receives notifications.'),
    token: secret(text('Token of the device.')),
    created_at: instant('Registration time.', { aliases: ['created_at_iso'] }),
    updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
    created_at_iso: instant('Registration time.'),
    updated_at_iso: instant('Time of the last change.'),
  },
  ['device_type', 'sub_type', 'enabled', 'created_at'],
);

const theUser = integer('ID of the user.', { label: 'user' });
const described = {
  id: theUser,
  device_type: integer('Type of device: 1 iOS, 2 Android.', { range: [1, 2] }),
  sub_type: integer('Model: 1 iPhone, 2 iPad, 3 iPod.', { range: [1, 3] }),
  token: secret(text('Token of the device.')),
};
const known = { lister: 'user get {id}', missing: 'device of user {id}' };

export const devices = {
  create: operation('POST /users/:id/devices', {
    scope: 'users',
    about: 'Register a device for notifications.',
    params: described,
    reply: one(Device, ['token', 'device_type']),
    check: 'user get {id}',
    undocumented: 'Parameters are sent in a JSON body.',
    lister: 'user list',
    missing: 'user {id}',
  }),
  update: operation('PUT /users/:id/devices', {
    scope: 'users',
    about: 'Change the type or model of a device.',
    params: described,
    reply: nothing,
    undocumented: 'Parameters are sent in a JSON body.',
    ...known,
  }),
  delete: operation('DELETE /users/:id/devices/:token', {
    scope: 'users',
    about: 'Delete a device.',
    params: { id: theUser, token: secret(text('Token of the device.')) },
    reply: nothing,
    ...known,
  }),
};
