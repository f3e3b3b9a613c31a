import type { Command, Context, Menu } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, group, type Input, integer, oneOf } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Step, Summary } from '../../contract/plan.ts';
import type { RecordOf } from '../../contract/record.ts';
import { changeRecord } from '../../kinds/change-record.ts';
import { findTarget } from '../../kinds/find.ts';
import { withoutSecrets } from '../../kinds/row.ts';
import { shownBy } from '../../kinds/shown-by.ts';
import { isUnderWay, linesOf, undoAfter, type Verb, verbs } from '../../kinds/summary.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { isAction } from '../../resources/action.ts';
import { Device, deviceModels, devices, deviceTypes } from '../../resources/device.ts';
import { user, users } from '../../resources/user.ts';

const { token, ...shownFields } = Device.fields;
const described = {
  user: user.argumentField,
  type: oneOf(deviceTypes, 'Kind of device; the service does not notify Android yet.'),
  sub_type: oneOf(deviceModels, 'Model.'),
  token,
};

export const deviceCommands: Menu = {
  'user device register': deviceWrite(devices.create, {
    verb: verbs.create,
    params: described,
    example: 'stackops user device register 7 --type ios --sub-type iphone --token-file token.txt',
  }),
  'user device update': deviceWrite(devices.update, {
    verb: verbs.update,
    params: described,
    example: 'stackops user device update 7 --type ios --sub-type ipad --token-file token.txt',
  }),
  'user device delete': deviceWrite(devices.delete, {
    verb: verbs.delete,
    params: { user: user.argumentField, token },
    example: 'stackops user device delete 7 --token-stdin < token.txt',
  }),
};

interface DeviceWrite {
  readonly verb: Verb;
  readonly params: Fields;
  readonly example: string;
}

type DeviceRow = RecordOf<typeof Device>;
type DeviceKind = Pick<DeviceRow, 'device_type' | 'sub_type'>;

/** A device is identified by its token, which is a credential: in records and messages it has neither id nor name. */
function deviceWrite(operation: Operation, { verb, params, example }: DeviceWrite): Command {
  const isNew = verb === verbs.create;
  return write({
    about: operation.about,
    params,
    positionals: ['user'],
    examples: [example],
    calls: [users.list, ...(isNew ? [] : [users.get]), operation],
    record: changeRecord({ user_id: integer('Id of the user.') }, { before: group(shownFields, 'The device.') }),
    plan: async (context, input: Input): Promise<Plan> => {
      const given = checkToken(String(input['token']));
      const wanted = readKind(context, input);
      const id = Number((await findTarget(context, user, input)).id);
      const held = isNew ? null : await findDevice(context, { id, token: given });
      if (held === undefined && wanted === null) throw noDevice(id, input);
      const request = { id, ...wanted, token: given };
      const name = `device of user ${input['user']}`;
      const step = stepOf(context, { operation, verb, name, request, wanted, held: held ?? null });
      return { steps: [step], summarize: (changes) => summarizeDevice(changes, { step, verb, input }) };
    },
  });
}

interface DeviceChange {
  readonly operation: Operation;
  readonly verb: Verb;
  readonly name: string;
  readonly request: { readonly id: number; readonly token: string };
  /** Null where it is to be gone. */
  readonly wanted: DeviceKind | null;
  readonly held: DeviceRow | null;
}

function stepOf(context: Context, { operation, verb, name, request, wanted, held }: DeviceChange): Step {
  const shown = (row: DeviceRow) => withoutSecrets(context, Device, row);
  const before = held && (wanted ? kindOf(held) : shown(held));
  return {
    id: { user_id: request.id },
    name,
    change: verb.change,
    before,
    after: wanted,
    isIdle: held !== null && isLike(held, wanted),
    basis: before,
    send: () => context.call(operation, request, { observer: observerOf(operation, wanted) }),
    done: (reply) => (verb === verbs.create && !isAction(reply) ? { after: shown(reply) } : {}),
  };
}

function observerOf(operation: Operation, wanted: DeviceKind | null) {
  return shownBy<DeviceChange['request'], undefined>(operation, async (read, { id, token: given }) => {
    const { devices: rows = [] } = await read(users.get, { id });
    const found = rows.find((device) => device.token === given);
    return wanted === null ? found === undefined : found && isLike(found, wanted) && found;
  });
}

/** Null where the device is to be deleted: then no kind is typed. */
function readKind(context: Context, { type, sub_type }: Input): DeviceKind | null {
  if (type === undefined) return null;
  if (type === 'android') context.warn('the service does not notify Android devices yet');
  const codeOf = (choices: readonly unknown[], choice: unknown) => choices.indexOf(choice) + 1;
  return { device_type: codeOf(deviceTypes, type), sub_type: codeOf(deviceModels, sub_type) };
}

/** The token as read, without the line feed at its end; it is never repeated in a message. */
function checkToken(read: string): string {
  const given = read.replace(/\r?\n$/, '');
  if (given === '') throw new Problem('usage', 'the token read is empty; nothing was changed');
  if (/\s/.test(given)) throw new Problem('usage', 'the token read holds white space; nothing was changed');
  return given;
}

/** Undefined where it is not among those shown, null where none are: a token that may not read may still change. */
async function findDevice(
  context: Context,
  { id, token: given }: DeviceChange['request'],
): Promise<DeviceRow | null | undefined> {
  try {
    const { devices: rows } = await context.call(users.get, { id });
    return rows ? rows.find((device) => device.token === given) : null;
  } catch (error) {
    if (error instanceof Problem && [403, 404].includes(error.details.status ?? 0)) return null;
    throw error;
  }
}

function noDevice(id: number, input: Input): Problem {
  return new Problem('not_found', `user ${input['user']} has no device with this token; nothing was sent`, {
    hint: { path: 'user get', operands: [String(id)] },
  });
}

function kindOf({ device_type, sub_type }: DeviceKind): DeviceKind {
  return { device_type, sub_type };
}

function isLike(device: DeviceKind, wanted: DeviceKind | null): boolean {
  return device.device_type === wanted?.device_type && device.sub_type === wanted.sub_type;
}

interface Saying {
  readonly step: Step;
  readonly verb: Verb;
  readonly input: Input;
}

/** `device of user 8 updated (ios, iphone -> ios, ipod)` */
function summarizeDevice(changes: readonly Change[], { step, verb, input }: Saying): Summary {
  const details = (change: Change) => {
    const sides = isUnderWay(change) ? [change.before, change.after] : [change.before];
    return [sides.flatMap((side) => (side === null ? [] : [kindText(side as DeviceKind)])).join(' -> ')];
  };
  const [made] = changes.filter(isUnderWay);
  const undo = made && undoOf(verb, String(input['user']), made.before as DeviceKind | null);
  return {
    lines: linesOf([step], changes, { verb, details }),
    undo: undoAfter(changes, undefined, undo ? [undo] : []),
  };
}

/** `ios, iphone` */
function kindText({ device_type, sub_type }: DeviceKind): string {
  return `${deviceTypes[device_type - 1] ?? `type ${device_type}`}, ${deviceModels[sub_type - 1] ?? `model ${sub_type}`}`;
}

/** None for what is gone, was not seen before, or had a code without a word. */
function undoOf({ change }: Verb, user: string, before: DeviceKind | null): CommandLine | undefined {
  const flags = ['--token-stdin'];
  if (change === 'created') return { path: 'user device delete', operands: [user], flags };
  if (change === 'deleted' || before === null) return undefined;
  const [type, model] = [deviceTypes[before.device_type - 1], deviceModels[before.sub_type - 1]];
  if (type === undefined || model === undefined) return undefined;
  return { path: 'user device update', operands: [user], flags: ['--type', type, '--sub-type', model, ...flags] };
}
