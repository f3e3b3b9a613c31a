import { createObserver, isSameValue, readBack, withObservation } from '../../builders/execute/send.ts';
import { changeRecord, isUnderWay, linesOf, undoAfter, type Verb, verbs } from '../../builders/execute/summary.ts';
import { findTarget } from '../../builders/resource/find.ts';
import { withoutSecrets } from '../../builders/resource/row.ts';
import { write } from '../../builders/write.ts';
import type { Command, Context, Menu } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, group, type Input, integer, oneOf } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import type { RecordOf } from '../../contract/record.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { isAction } from '../../resources/action.ts';
import { Device, deviceModels, devices, deviceTypes, user, users } from '../../resources/user.ts';

const { token, ...publicFields } = Device.fields;
const kindParams = {
  type: oneOf(deviceTypes, 'Type of device; Android gets no notifications yet.'),
  sub_type: oneOf(deviceModels, 'Model.'),
};

export const deviceCommands: Menu = {
  'user device register': createDeviceCommand(devices.create, verbs.create, [
    'stackops user device register 7 --type ios --sub-type iphone --token-file token.txt',
  ]),
  'user device update': createDeviceCommand(devices.update, verbs.update, [
    'stackops user device update 7 --type ios --sub-type ipad --token-file token.txt',
  ]),
  'user device delete': createDeviceCommand(devices.delete, verbs.delete, [
    'stackops user device delete 7 --token-stdin < token.txt',
  ]),
};

type DeviceKind = Pick<RecordOf<typeof Device>, 'device_type' | 'sub_type'>;

function createDeviceCommand(operation: Operation, verb: Verb, examples: readonly string[]): Command {
  const params: Fields = { user: user.argumentField, ...(verb === verbs.delete ? {} : kindParams), token };
  return write({
    about: operation.about,
    params,
    positionals: ['user'],
    examples,
    calls: [users.list, ...(verb === verbs.create ? [] : [users.get]), operation],
    // Only the token identifies a device. It is a credential, so the record has no field for the device.
    record: changeRecord({ user_id: integer('ID of the user.') }, { before: group(publicFields, 'The device.') }),
    plan: (context, input: Input) => planDevice(context, input, operation, verb),
  });
}

async function planDevice(context: Context, input: Input, operation: Operation, verb: Verb): Promise<Plan> {
  // The token is a credential, so no message repeats it.
  const deviceToken = String(input['token']).replace(/\r?\n$/, '');
  if (/\s/.test(deviceToken))
    throw new CliError('usage', 'the device token contains white space', { nothing: 'changed' });
  const requested = readKind(context, input);
  const id = Number((await findTarget(context, user, input)).id);
  const read = () => findDevice(context.call, id, deviceToken);
  const foundDevice = verb === verbs.create ? null : await read();
  if (foundDevice === undefined && requested === null) {
    const message = `user ${input['user']} has no device with this token`;
    throw new CliError('not_found', message, { nothing: 'sent', hint: { path: 'user get', operands: [String(id)] } });
  }
  const currentDevice = foundDevice ?? null;
  const withoutToken = (row: RecordOf<typeof Device>) => withoutSecrets(context, Device, row);
  const before = currentDevice && (requested ? kindOf(currentDevice) : withoutToken(currentDevice));
  const observer = createObserver<Input, undefined>(operation, async (read) => {
    const now = await findDevice(read, id, deviceToken);
    return requested === null ? now === undefined : now != null && isSameValue(kindOf(now), requested) && now;
  });
  const step: Step = {
    id: { user_id: id },
    name: `device of user ${input['user']}`,
    change: verb.change,
    before,
    after: requested,
    isIdle: requested !== null && currentDevice !== null && isSameValue(kindOf(currentDevice), requested),
    basis: before,
    send: () => context.call(operation, { id, ...requested, token: deviceToken }, { observer }),
    done: (reply) => (verb === verbs.create && !isAction(reply) ? { after: withoutToken(reply) } : {}),
  };
  return {
    steps: [step],
    finish: (changes) => readBack(changes, read, (change, now) => observeDevice(context, step, change, now)),
    summarize: (changes) => ({
      lines: linesOf([step], changes, { verb, details: kindDetails }),
      undo: undoAfter(changes, undefined, deviceUndoCommands(changes, verb, String(input['user']))),
    }),
  };
}

function readKind(context: Context, { type, sub_type }: Input): DeviceKind | null {
  // A deletion has no device type, so null is requested.
  if (type === undefined) return null;
  if (type === 'android') context.warn('the service does not notify Android devices yet');
  const codeOf = (choices: readonly unknown[], choice: unknown) => choices.indexOf(choice) + 1;
  return { device_type: codeOf(deviceTypes, type), sub_type: codeOf(deviceModels, sub_type) };
}

/** Finds the device of a token; undefined if there is none, null if the service does not show the devices. */
async function findDevice(read: Read, id: number, deviceToken: string) {
  const user = await readOrUndefined(read(users.get, { id }));
  return user?.devices ? user.devices.find((device) => device.token === deviceToken) : null;
}

type FoundDevice = Awaited<ReturnType<typeof findDevice>>;

function observeDevice(context: Context, step: Step, change: Change, foundDevice: FoundDevice): Change {
  const requested = step.after as DeviceKind | null;
  if (foundDevice === null) return change;
  if (foundDevice === undefined) return requested === null ? change : { ...change, change: 'accepted', after: null };
  if (requested === null) return { ...change, change: 'accepted', after: withoutSecrets(context, Device, foundDevice) };
  const now = kindOf(foundDevice);
  const after = change.before === null ? change.after : now;
  const hasRequestedValue = isSameValue(now, requested);
  return withObservation(context, change, { name: step.name, requested, now, after, hasRequestedValue });
}

function kindOf({ device_type, sub_type }: DeviceKind): DeviceKind {
  return { device_type, sub_type };
}

function kindDetails(change: Change): readonly string[] {
  const sides = (isUnderWay(change) ? [change.before, change.after] : [change.before]) as (DeviceKind | null)[];
  const texts = sides.flatMap((kind) => {
    if (!kind) return [];
    const [type = `type ${kind.device_type}`, model = `model ${kind.sub_type}`] = kindNames(kind);
    return `${type}, ${model}`;
  });
  return [texts.join(' -> ')];
}

function kindNames({ device_type, sub_type }: DeviceKind) {
  return [deviceTypes[device_type - 1], deviceModels[sub_type - 1]] as const;
}

function deviceUndoCommands(changes: readonly Change[], { change }: Verb, user: string): readonly CommandLine[] {
  const [deviceChange] = changes.filter(isUnderWay);
  const flags = ['--token-stdin'];
  if (deviceChange && change === 'created') return [{ path: 'user device delete', operands: [user], flags }];
  if (!deviceChange?.before || change === 'deleted') return [];
  const [type, model] = kindNames(deviceChange.before as DeviceKind);
  if (type === undefined || model === undefined) return [];
  return [{ path: 'user device update', operands: [user], flags: ['--type', type, '--sub-type', model, ...flags] }];
}
