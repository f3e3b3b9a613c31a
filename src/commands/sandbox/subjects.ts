import { type CommandLine, flagWords, hasNoControlCharacters, targetsOfInput } from '../../contract/command-line.ts';
import type { Field, Input } from '../../contract/field.ts';
import type { RecordOf, Row } from '../../contract/record.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { gateway } from '../../resources/account.ts';
import { type DatabaseUser, database, databaseUser } from '../../resources/database.ts';
import { type DeploymentRow, stateText } from '../../resources/deployment.ts';
import { type Variable, valueAsText, variable } from '../../resources/env.ts';
import { countsText, type ProcessRow, processResource } from '../../resources/process.ts';
import { server } from '../../resources/server.ts';
import { type SettingRow, serverSetting, stackSetting } from '../../resources/setting.ts';
import { tagValuesOf } from '../../resources/tag.ts';
import { trafficShareText, type VariantRow, variant } from '../../resources/variant.ts';
import { listRows } from '../../sandbox/answer.ts';
import type { CopiedState, GatewayRecord, ServerState, StackState, TagRecord } from '../../sandbox/state.ts';
import { type Request, resourceNameOf } from './accepted.ts';

/** The subject of a write in one state: a variable, a setting, a share or a tag set. */
export interface Subject {
  readonly name: string;
  /** The value to compare and to show; null for none. */
  readonly text: string | null;
  readonly row: Row;
  readonly isSecret: boolean;
  readonly stack_id: string | undefined;
  readonly server: string | undefined;
}

interface SubjectKind {
  /** Absent for resources that no argument names. */
  readonly type?: ResourceType;
  readonly text: (row: never) => string | null;
  readonly name?: (row: never, server: string | undefined) => string;
}

const settingKind = { text: ({ value }: Row) => (value === null ? null : valueAsText(value)) };
const subjectKinds: Readonly<Record<string, SubjectKind>> = {
  environments: { type: variable, text: ({ value }: Variable) => value ?? null },
  stackSettings: { type: stackSetting, ...settingKind },
  serverSettings: { type: serverSetting, ...settingKind, name: ({ key }: SettingRow, of) => `${of} ${key}` },
  servers: { type: server, text: () => null },
  variants: { type: variant, text: (row: VariantRow) => `${row.variant_type} ${trafficShareText(row)}` },
  processes: { type: processResource, text: ({ servers }: ProcessRow) => countsText(servers) },
  tags: { text: (row: TagRecord) => tagValuesOf(row).toSorted().join(', '), name: (_, of) => `server/${of}` },
  deployments: { text: stateText, name: ({ id }: DeploymentRow) => `deployment ${id}` },
  databases: { type: database, text: () => 'exists' },
  databaseUsers: {
    type: databaseUser,
    text: ({ user_type, databases }: RecordOf<typeof DatabaseUser>) =>
      `${user_type} of ${databases.toSorted().join(', ') || 'no database'}`,
  },
  gateways: {
    type: gateway,
    text: ({ name, username, address, private_ip, ttl }: GatewayRecord) =>
      [name, username, address, private_ip, ttl ? `until ${ttl}` : 'closed'].join(', '),
  },
};

/** Returns the ID in the path of a request, else the name of the new resource. */
export function subjectId(input: Input): unknown {
  const id = input['entity_id'] ?? input['env_var_key'] ?? input['key'] ?? input['deployment_id'] ?? input['id'];
  return id ?? input['database_name'] ?? input['name'] ?? input['username'] ?? input['server_id'];
}

function findServer({ servers }: StackState, { server_id, entity_id }: Input): ServerState | undefined {
  return servers.find(({ row }) => row.uid === (server_id ?? entity_id));
}

/** Returns the stack of a request. The stack of a tag is found by its server. */
export function findStoredStack(stacks: readonly StackState[], input: Input): StackState | undefined {
  return stacks.find((stack) => stack.row.uid === input['stack_id'] || findServer(stack, input));
}

export function findSubject({ id, input }: Pick<Request, 'id' | 'input'>, copy: CopiedState): Subject | undefined {
  const resource = resourceNameOf(id);
  const kind = subjectKinds[resource];
  const row = kind && findRow(listRows(copy, `${resource}.list`, input), kind, subjectId(input));
  if (!row) return undefined;
  const stack = findStoredStack(copy.stacks, input);
  const serverName = stack && findServer(stack, input)?.row.name;
  const name = kind.name?.(row as never, serverName) ?? kind.type?.titleOf(row) ?? '';
  const isSecret = kind.type?.list.reply.record?.isSecret?.(row) ?? false;
  return { name, text: kind.text(row as never), row, isSecret, stack_id: stack?.row.uid, server: serverName };
}

function findRow(rows: readonly Row[], { type }: SubjectKind, idOrName: unknown): Row | undefined {
  const listedId = ({ id, entity_id }: Row) => id ?? entity_id;
  // A setting is also found by its key with dashes.
  const dashedKeyOf = ({ key }: Row) => `${key}`.replaceAll('.', '-');
  const findBy = (keyOf: (row: Row) => unknown) => rows.find((row) => String(keyOf(row)) === String(idOrName));
  return type
    ? (findBy(type.idOf) ?? findBy(type.titleOf) ?? findBy(listedId) ?? findBy(dashedKeyOf))
    : findBy(listedId);
}

export function needsSubject({ id }: Request): boolean {
  const resource = resourceNameOf(id);
  return resource in subjectKinds && resource !== 'environments' && !id.endsWith('.create');
}

/** True if the request starts an operation, so it sets no value that could be compared. */
export function startsOperation({ id }: Pick<Request, 'id'>): boolean {
  return /^(accounts|backups|servers)\.|^deployments\.create$|\.regeneratePassword$/.test(id);
}

type MakeCommands = (request: Request, after?: Subject, before?: Subject) => readonly CommandLine[];

/** For a resource or an operation: a function that returns commands which set the copy's last value at the service. */
const commandMakers: Readonly<Record<string, MakeCommands>> = {
  environments: ({ input: { env_var_key: key } }, after) => {
    if (!after) return [{ path: 'stack env unset', operands: [String(key)] }];
    const { name, text, isSecret } = after;
    const canTypeValue = !isSecret && text !== null && hasNoControlCharacters(text);
    if (!canTypeValue) return [{ path: 'stack env set', operands: [name], flags: ['--stdin'] }];
    return [{ path: 'stack env set', operands: [`${name}=${text}`], flags: text === '' ? ['--allow-empty'] : [] }];
  },
  stackSettings: (_, after) => settingCommands('stack settings set', [], after),
  serverSettings: (_, after) => settingCommands('server settings set', [after?.server ?? ''], after),
  'variants.update': ({ input: { id, operation, canary_percentage: share } }) => {
    if (operation === 'commit') return [{ path: 'variant commit', operands: [String(id)] }];
    return [{ path: 'variant weight', operands: [String(id), String(share)] }];
  },
  processes: (_, after, before) => {
    const path = 'process scale';
    const [name, counts, countsBefore] = [after?.name, countsByServer(after), new Map(countsByServer(before))];
    const firstCount = counts[0]?.[1];
    if (counts.every(([, count]) => count === firstCount)) return [{ path, operands: [`${name}=${firstCount}`] }];
    return counts
      .filter(([server, count]) => countsBefore.get(server) !== count)
      .map(([server, count]) => ({ path, operands: [`${name}=${count}`], flags: flagWords('--server', server) }));
  },
  tags: (_, after) => {
    const tags = tagValuesOf(after?.row ?? {}).toSorted();
    return [{ path: tags.length === 0 ? 'tags clear' : 'tags set', operands: [after?.name ?? '', ...tags] }];
  },
};

function countsByServer(subject: Subject | undefined): readonly (readonly [server: string, count: number])[] {
  return Object.entries((subject?.row['servers'] ?? {}) as Readonly<Record<string, number>>);
}

function settingCommands(path: string, operands: readonly string[], after?: Subject): readonly CommandLine[] {
  if (!after || after.isSecret) return [];
  return [{ path, operands: [...operands, `${after.row['key']}=${after.text ?? ''}`] }];
}

/** Returns the commands that make the change at the service; none if a command would contain a secret. */
export const commandsFor: MakeCommands = (request, after, before) => {
  const { id, operation, input } = request;
  const resource = resourceNameOf(id);
  const targetIds = targetsOfInput({ ...input, stack_id: input['stack_id'] ?? (after ?? before)?.stack_id });
  const makeCommands = commandMakers[id] ?? commandMakers[resource];
  if (makeCommands) return makeCommands(request, after, before).map((command) => ({ ...command, ...targetIds }));
  const { type } = subjectKinds[resource] ?? {};
  const noun = type?.listed.replace(/ list$/, '') ?? resource.replace(/s$/, '');
  const verb = id.slice(resource.length + 1).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const knownRow = (before ?? after)?.row;
  const titleOrId = type && knownRow ? type.titleOf(knownRow) : input['deployment_id'];
  const argument = Object.entries<Field>(operation.params).find(([, { label }]) => label === 'name')?.[0];
  const operand = argument === undefined ? titleOrId : input[argument];
  const flags = flagsFrom(request, argument);
  const path = id === 'deployments.create' ? 'redeploy' : `${noun} ${verb}`;
  return flags ? [{ path, operands: operand === undefined ? [] : [String(operand)], flags, ...targetIds }] : [];
};

/** Returns the flags of the command; undefined if a flag would contain a signature. */
function flagsFrom({ operation: { params }, body }: Request, argument?: string): readonly string[] | undefined {
  const isSent = (name: string) => body[name] !== undefined && body[name] !== false && name !== argument;
  const sentParams = Object.entries<Field>(params).filter(([name, { sensitive }]) => isSent(name) && !sensitive);
  if (sentParams.some(([, { signed }]) => signed)) return undefined;
  return sentParams.flatMap(([name, { label = name, secret, unit }]) => {
    const flag = `--${label.replaceAll('_', '-')}`;
    if (secret) return [`${flag}-stdin`];
    if (body[name] === true) return [flag];
    return flagWords(flag, `${body[name]}${unit === 'seconds' ? 's' : ''}`);
  });
}
