import { type CommandLine, fitsLine, flagWords } from '../../contract/command-line.ts';
import type { Field, Input } from '../../contract/field.ts';
import { targetFlags } from '../../contract/resource.ts';
import { stateText } from '../../resources/deployment.ts';
import { isSecret } from '../../resources/env.ts';
import { isSecretSetting } from '../../resources/setting.ts';
import { tagsOf } from '../../resources/tag.ts';
import type { CopiedState, SettingState, StackState } from '../../sandbox/state.ts';
import type { Request } from './accepted.ts';

/** The subject of a write in one state: a variable, a setting, a share, a tag set. */
export interface Subject {
  readonly name: string;
  readonly text: string | null;
  /** Time of the last change. */
  readonly at?: string | undefined;
  readonly stack_id?: string;
  readonly isSecret?: boolean;
  readonly isReadonly?: boolean;
  /** Addresses in the text may be made up, so only the time tells whether it changed. */
  readonly isComposed?: true;
  /** The parts of the text, for commands. */
  readonly path?: readonly [server: string, setting: string];
  readonly counts?: readonly (readonly [server: string, count: number])[];
  readonly tags?: readonly string[];
}

type Finder = (input: Input, stack: StackState, part: CopiedState) => Subject | undefined;

const byId = ({ id, name }: Input, row: { readonly id: number; readonly name: string }) =>
  id === undefined ? row.name === name : String(row.id) === String(id);

/** Finds the subject of a request, by resource. Other resources have no state to compare. */
const finders: Readonly<Record<string, Finder>> = {
  environments: (input, { variables }) => {
    const row = variables.find(({ key }) => key === (input['env_var_key'] ?? input['key']));
    if (!row) return undefined;
    const { key: name, value, updated_at: at, readonly: isReadonly } = row;
    return { name, text: value ?? null, at, isSecret: isSecret(row), isReadonly };
  },
  stackSettings: ({ id }, { settings }) => settingIn(settings, id),
  serverSettings: ({ server_id, id }, { servers }) => {
    const server = servers.find(({ row }) => row.uid === server_id);
    const found = settingIn(server?.settings ?? [], id);
    return (
      server && found && { ...found, path: [server.row.name, found.name], name: `${server.row.name} ${found.name}` }
    );
  },
  servers: ({ server_id }, { servers }) => {
    const server = servers.find(({ row }) => row.uid === server_id);
    return server && { name: server.row.name, text: null };
  },
  variants: ({ id }, { variants }) => {
    const row = variants.find(({ uid }) => uid === id);
    return row && { name: row.uid, text: `${row.variant_type} ${row.percentage} %` };
  },
  processes: ({ id }, { processes, servers }) => {
    const row = processes.find(({ name }) => name === id);
    if (!row) return undefined;
    const counts = servers.flatMap(({ row: { uid, name } }) => {
      const count = row.counts[uid];
      return count === undefined ? [] : [[name, count] as const];
    });
    return { name: row.name, text: counts.map(([name, count]) => `${count} on ${name}`).join(', '), counts };
  },
  tags: ({ entity_id }, { servers, tags }) => {
    const server = servers.find(({ row }) => row.uid === entity_id);
    const values = tagsOf(tags.find((one) => one.entity_id === entity_id) ?? {}).toSorted();
    return server && { name: `server/${server.row.name}`, text: values.join(', '), tags: values };
  },
  deployments: ({ deployment_id }, { deployments }) => {
    const found = deployments.find(({ row }) => String(row.id) === String(deployment_id));
    return found && { name: `deployment ${found.row.id}`, text: stateText(found.row) };
  },
  databases: ({ server_group_id, id, database_name }, { groups }) => {
    const { databases = [] } = groups.find(({ row }) => String(row.id) === server_group_id) ?? {};
    const row = databases.find(({ uid, name }) => (id === undefined ? name === database_name : uid === id));
    return row && { name: row.name, text: 'exists' };
  },
  databaseUsers: ({ server_group_id, id, username }, { groups }) => {
    const { users = [], databases = [] } = groups.find(({ row }) => String(row.id) === server_group_id) ?? {};
    const row = users.find((one) => (id === undefined ? one.username === username : one.uid === id));
    if (!row) return undefined;
    const names = databases.filter(({ uid }) => row.databaseUids.includes(uid)).map(({ name }) => name);
    return { name: row.username, text: `${row.user_type} of ${names.toSorted().join(', ') || 'no database'}` };
  },
  gateways: (input, _, { accounts }) => {
    const account = accounts.find(({ row }) => String(row.id) === String(input['account_id']));
    const row = account?.gateways.find((gateway) => byId(input, gateway));
    if (!row) return undefined;
    const text = [row.name, row.username, row.address, row.private_ip, row.ttl ? `until ${row.ttl}` : 'closed'].join(
      ', ',
    );
    return { name: row.name, text, at: row.updated_at_iso, isComposed: true };
  },
};

function settingIn(settings: readonly SettingState[], id: unknown): Subject | undefined {
  const row = settings.find(({ id: own, key }) => String(own) === id || key.replaceAll('.', '-') === id);
  if (!row) return undefined;
  const { key: name, value, updated_at: at, readonly: isReadonly } = row;
  return { name, text: value === null ? null : String(value), at, isSecret: isSecretSetting(row), isReadonly };
}

/** The subject of a request in a state; undefined where it does not exist. */
export function subjectIn({ id, input }: Request, part: CopiedState): Subject | undefined {
  const { stack_id, entity_id } = input;
  const isOwn = ({ row, servers }: StackState) =>
    row.uid === stack_id || servers.some((server) => server.row.uid === entity_id);
  const stack = part.stacks.find(isOwn);
  const [resource = ''] = id.split('.');
  if (resource === 'gateways') return finders[resource]?.(input, {} as StackState, part);
  const found = stack && finders[resource]?.(input, stack, part);
  return found && { ...found, stack_id: stack.row.uid };
}

/** The operation that creates a subject, by resource. */
export const creatingOperations: Readonly<Record<string, string>> = {
  databases: 'databases.create',
  databaseUsers: 'databaseUsers.create',
  deployments: 'deployments.create',
  gateways: 'gateways.create',
  variants: 'deployments.create',
};

/** True if the request is about a subject that must exist. */
export function needsSubject({ id }: Request): boolean {
  const [resource = ''] = id.split('.');
  return resource in finders && !creations.includes(id) && id !== 'deployments.create';
}

/** Requests that begin an operation. They set no value that could be compared. */
export const startingOperations: readonly string[] = [
  ...['deployments.create', 'servers.reboot', 'backups.create', 'backups.import'],
  ...['databaseUsers.regeneratePassword', 'accounts.otp'],
];
/** Requests that need no existing subject. */
const creations: readonly string[] = [
  ...['environments.create', 'environments.update', 'environments.delete'],
  ...['databases.create', 'databaseUsers.create', 'gateways.create'],
];

/** The command of an operation, and the parameter that is its argument; `subject` is its name. */
const commands: Readonly<Record<string, readonly [path: string, argument?: string]>> = {
  'accounts.otp': ['account otp'],
  'backups.create': ['backup create'],
  'backups.import': ['backup import'],
  'databaseUsers.create': ['db user create', 'username'],
  'databaseUsers.delete': ['db user delete', 'subject'],
  'databaseUsers.regeneratePassword': ['db user regenerate-password', 'subject'],
  'databases.create': ['db create', 'database_name'],
  'databases.delete': ['db delete', 'subject'],
  'deployments.cancel': ['deployment cancel', 'deployment_id'],
  'deployments.create': ['redeploy'],
  'gateways.create': ['gateway create'],
  'gateways.delete': ['gateway delete', 'subject'],
  'gateways.update': ['gateway update', 'subject'],
  'servers.reboot': ['server reboot', 'subject'],
  'variants.delete': ['variant delete', 'id'],
};

type MakeLines = (request: Request, after: Subject, before: Subject | undefined) => readonly CommandLine[];

/** The commands that set the last value of the copy, by resource. */
const setters: Readonly<Record<string, MakeLines>> = {
  environments: (_, { name, text, isSecret: isHidden }) => {
    const isTyped = !isHidden && text !== null && fitsLine(text);
    if (!isTyped) return [{ path: 'stack env set', operands: [name], flags: ['--stdin'] }];
    return [{ path: 'stack env set', operands: [`${name}=${text}`], flags: text === '' ? ['--allow-empty'] : [] }];
  },
  stackSettings: (_, { name, text, isSecret: isHidden }) =>
    isHidden ? [] : [{ path: 'stack settings set', operands: [`${name}=${text ?? ''}`] }],
  serverSettings: (_, { path: [server, setting] = ['', ''], text, isSecret: isHidden }) => {
    return isHidden ? [] : [{ path: 'server settings set', operands: [server, `${setting}=${text ?? ''}`] }];
  },
  variants: ({ input: { id, operation, canary_percentage: share } }) =>
    operation === 'commit'
      ? [{ path: 'variant commit', operands: [String(id)] }]
      : [{ path: 'variant weight', operands: [String(id), String(share)] }],
  processes: (_, { name, counts = [] }, before) => {
    const [[, first] = []] = counts;
    const isEven = counts.every(([, count]) => count === first);
    if (isEven) return [{ path: 'process scale', operands: [`${name}=${first}`] }];
    const known = new Map(before?.counts);
    const changed = counts.filter(([server, count]) => known.get(server) !== count);
    return changed.map(([server, count]) => {
      return { path: 'process scale', operands: [`${name}=${count}`], flags: flagWords('--server', server) };
    });
  },
  tags: (_, { name, tags = [] }) => [
    { path: tags.length === 0 ? 'tags clear' : 'tags set', operands: [name, ...tags] },
  ],
};

/** The commands with which a person makes the change at the service. Empty if a command would contain a secret. */
export function commandsFor(
  request: Request,
  before: Subject | undefined,
  after: Subject | undefined,
): readonly CommandLine[] {
  const { id, input } = request;
  const [resource = ''] = id.split('.');
  const { stack_id = (after ?? before)?.stack_id } = input;
  const targets = targetFlags({ ...input, stack_id });
  const [path, argument] = commands[id] ?? [];
  if (resource === 'environments' && !after) {
    return [{ path: 'stack env unset', operands: [String(input['env_var_key'])], ...targets }];
  }
  if (path === undefined)
    return (after ? (setters[resource]?.(request, after, before) ?? []) : []).map((line) => ({ ...line, ...targets }));
  const operand = argument === 'subject' ? (before ?? after)?.name : input[argument ?? ''];
  const flags = flagsFrom(request, argument);
  return flags ? [{ path, operands: operand === undefined ? [] : [String(operand)], flags, ...targets }] : [];
}

function flagsFrom({ operation: { params }, body }: Request, argument?: string): readonly string[] | undefined {
  const given = Object.entries<Field>(params).filter(([name, { sensitive }]) => {
    return body[name] !== undefined && body[name] !== false && name !== argument && !sensitive;
  });
  if (given.some(([, { signed }]) => signed)) return undefined;
  return given.flatMap(([name, { label = name, secret, unit }]) => {
    const flag = `--${label.replaceAll('_', '-')}`;
    if (secret) return [`${flag}-stdin`];
    if (body[name] === true) return [flag];
    return flagWords(flag, `${body[name]}${unit === 'seconds' ? 's' : ''}`);
  });
}
