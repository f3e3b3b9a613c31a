import { type Context, type Menu, script } from '../contract/command.ts';
import { oneOf, secret, text, type Values } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';
import { deviceModels, devices, deviceTypes } from '../resources/device.ts';
import { users } from '../resources/user.ts';
import { aUser, findUserId } from './find-user.ts';

const token = secret(text('Token of the device.'));
const described = {
  user: aUser,
  type: oneOf(deviceTypes, 'Kind of device; the service does not notify Android yet.'),
  sub_type: oneOf(deviceModels, 'Model.'),
  token,
};

const register = script({
  about: devices.create.about,
  params: described,
  positionals: ['user'],
  examples: ['stackops user device register 7 --type ios --sub-type iphone --token-file token.txt'],
  calls: [users.list, devices.create],
  reply: devices.create.reply,
  run: async (context, input) => context.call(devices.create, await readDevice(context, input)),
  present: (_, { user, sub_type }) => ({ kind: 'done', lines: [`Registered the ${sub_type} of user ${user}.`] }),
});

const update = script({
  about: devices.update.about,
  params: described,
  positionals: ['user'],
  examples: ['stackops user device update 7 --type ios --sub-type ipad --token-file token.txt'],
  calls: [users.list, devices.update],
  reply: devices.update.reply,
  run: async (context, input) => context.call(devices.update, await readDevice(context, input)),
  present: (_, { user, type, sub_type }) => ({
    kind: 'done',
    lines: [`The device of user ${user} is now ${type}, ${sub_type}.`],
  }),
});

const remove = script({
  about: devices.delete.about,
  params: { user: aUser, token },
  positionals: ['user'],
  examples: ['stackops user device delete 7 --token-stdin < token.txt'],
  calls: [users.list, devices.delete],
  reply: devices.delete.reply,
  run: async (context, input) => {
    const given = checkToken(input.token);
    return context.call(devices.delete, { id: await findUserId(context, input.user), token: given });
  },
  present: (_, { user }) => ({ kind: 'done', lines: [`Deleted the device of user ${user}.`] }),
});

export const deviceStories = {
  'user device register': register,
  'user device update': update,
  'user device delete': remove,
} satisfies Menu;

async function readDevice(context: Context, input: Values<typeof described>) {
  const given = checkToken(input.token);
  if (input.type === 'android') context.warn('the service does not notify Android devices yet');
  return {
    id: await findUserId(context, input.user),
    device_type: deviceTypes.indexOf(input.type) + 1,
    sub_type: deviceModels.indexOf(input.sub_type) + 1,
    token: given,
  };
}

/** The token as read, without the line feed at its end; it is never repeated in a message. */
function checkToken(read: string): string {
  const given = read.replace(/\r?\n$/, '');
  if (given === '') throw new Problem('usage', 'the token read is empty; nothing was changed');
  if (/\s/.test(given)) throw new Problem('usage', 'the token read holds white space; nothing was changed');
  return given;
}
