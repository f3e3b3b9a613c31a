import type { Context, Menu } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, nullable, oneOf, secret, text, type Values } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { actionWords } from '../../resources/action.ts';
import { deviceModels, devices, deviceTypes } from '../../resources/device.ts';
import { users } from '../../resources/user.ts';
import { itsAction, makeChange, queuedBy } from '../queued-change.ts';
import { aUser, findUserId } from './find.ts';

const kind = {
  device_type: devices.update.params.device_type,
  sub_type: devices.update.params.sub_type,
};

/** What became of a device, which is told apart by its token and so never named. */
const DeviceChange = record(
  'change',
  {
    change: oneOf(['updated', 'unchanged', 'deleted', 'queued', 'failed'], 'What was done.'),
    before: nullable(group(kind, 'What it was, where that is known.')),
    after: nullable(group(kind, 'What it is now.')),
    action: itsAction,
  },
  ['change', 'before', 'after'],
);
type DeviceChange = RecordOf<typeof DeviceChange>;
type DeviceKind = Values<typeof kind>;

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
  present: (answer, { user, type, sub_type }) => {
    const action = queuedBy(answer);
    if (action) return { kind: 'done', lines: [`Registration of a device of user ${user}: ${actionWords(action)}`] };
    return {
      kind: 'done',
      lines: [`Registered the ${sub_type} (${type}) of user ${user}.`],
      undo: [{ path: 'user device delete', operands: [user], flags: ['--token-stdin'] }],
    };
  },
});

const update = script({
  about: devices.update.about,
  params: described,
  positionals: ['user'],
  examples: ['stackops user device update 7 --type ios --sub-type ipad --token-file token.txt'],
  calls: [users.list, users.get, devices.update],
  reply: one(DeviceChange),
  run: async (context, input): Promise<DeviceChange> => {
    const wish = await readDevice(context, input);
    const after = kindOf(wish);
    const before = (await findDevice(context, wish)) ?? null;
    if (before && isSame(before, after)) return { change: 'unchanged', before, after };
    return makeChange<unknown, DeviceChange>(context.call(devices.update, wish), (made) =>
      made.change === 'done' ? { change: 'updated', before, after } : { ...made, before, after },
    );
  },
  present: ({ change, before, after, action }, { user }) => {
    const device = `The device of user ${user}`;
    if (action) return { kind: 'done', lines: [`Change of the device of user ${user}: ${actionWords(action)}`] };
    const now = after ? wordsOf(after) : '-';
    if (change === 'unchanged') return { kind: 'done', lines: [`${device} is ${now} already; nothing was sent.`] };
    if (!before) return { kind: 'done', lines: [`${device} is now ${now}.`] };
    return { kind: 'done', lines: [`${device}: ${wordsOf(before)} -> ${now}`], undo: undoUpdate(user, before) };
  },
});

const remove = script({
  about: devices.delete.about,
  params: { user: aUser, token },
  positionals: ['user'],
  examples: ['stackops user device delete 7 --token-stdin < token.txt'],
  calls: [users.list, users.get, devices.delete],
  reply: one(DeviceChange),
  run: async (context, input): Promise<DeviceChange> => {
    const token = checkToken(input.token);
    const id = await findUserId(context, input.user);
    const before = await findDevice(context, { id, token });
    if (before === undefined) {
      throw new Problem('not_found', `user ${input.user} has no device with this token; nothing was sent`, {
        hint: { path: 'user get', operands: [String(id)] },
      });
    }
    return makeChange<unknown, DeviceChange>(context.call(devices.delete, { id, token }), (made) =>
      made.change === 'done' ? { change: 'deleted', before, after: null } : { ...made, before, after: before },
    );
  },
  present: ({ before, action }, { user }) => {
    const device = `the device of user ${user}${before ? ` (${wordsOf(before)})` : ''}`;
    return { kind: 'done', lines: [action ? `Deletion of ${device}: ${actionWords(action)}` : `Deleted ${device}.`] };
  },
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

/** Undefined where it is not among those shown, null where none are: a token without the right to look may still change. */
async function findDevice(
  context: Context,
  { id, token }: { readonly id: number; readonly token: string },
): Promise<DeviceKind | null | undefined> {
  try {
    const { devices: held } = await context.call(users.get, { id });
    if (!held) return null;
    const found = held.find((device) => device.token === token);
    return found && kindOf(found);
  } catch (error) {
    if (error instanceof Problem && [403, 404].includes(error.details.status ?? 0)) return null;
    throw error;
  }
}

function kindOf({ device_type, sub_type }: DeviceKind): DeviceKind {
  return { device_type, sub_type };
}

function isSame(one: DeviceKind, other: DeviceKind): boolean {
  return one.device_type === other.device_type && one.sub_type === other.sub_type;
}

/** `ios, iphone` */
function wordsOf({ device_type, sub_type }: DeviceKind): string {
  return `${deviceTypes[device_type - 1] ?? `type ${device_type}`}, ${deviceModels[sub_type - 1] ?? `model ${sub_type}`}`;
}

/** Codes without a word cannot be typed. */
function undoUpdate(user: string, { device_type, sub_type }: DeviceKind): readonly CommandLine[] {
  const [type, model] = [deviceTypes[device_type - 1], deviceModels[sub_type - 1]];
  if (type === undefined || model === undefined) return [];
  const flags = ['--type', type, '--sub-type', model, '--token-stdin'];
  return [{ path: 'user device update', operands: [user], flags }];
}
