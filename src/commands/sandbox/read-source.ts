import type { Context } from '../../contract/command.ts';
import { type Input, integer, nullable, text } from '../../contract/field.ts';
import type { ReadMore } from '../../contract/operation.ts';
import { record } from '../../contract/record.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { type Catalogue, catalogue } from '../../resources/index.ts';
import type { ServerRow } from '../../resources/server.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import type { CopySource, RowsOf, SourceStack } from '../../sandbox/copy/copied-state.ts';
import type { MissingSection } from '../../sandbox/state.ts';

const mostAtOnce = 4;
const mostDeployments = 50;

/** The sections and their names in the notice of a copy, in its order. */
const labels = {
  environments: 'variables',
  stackSettings: 'settings',
  servers: 'servers',
  serverSettings: 'server settings',
  tags: 'tags',
  processes: 'processes',
  variants: 'variants',
  deployments: 'deployments',
  backups: 'backups',
  serverGroups: 'server groups',
  databases: 'databases',
  databaseUsers: 'database users',
  accounts: 'account',
  gateways: 'gateways',
} as const satisfies Partial<Record<keyof Catalogue, string>>;
type Section = keyof typeof labels;
const sections = Object.keys(labels) as Section[];
/** For some sections, the sections that cannot be shown without them. */
const dependents: Partial<Record<Section, readonly Section[]>> = {
  servers: ['processes'],
  serverGroups: ['databases', 'databaseUsers'],
  databases: ['databaseUsers'],
};
export const sourceCalls = [stacks.list, stacks.get, ...sections.map((section) => catalogue[section].list)];

export const CopiedStack = record(
  'copied stack',
  {
    name: text('Name.'),
    environment: text('Environment.'),
    variables: integer('Number of variables.'),
    servers: integer('Number of servers.'),
    deployments: integer('Number of deployments, at most the newest 50.'),
    without: nullable(text('Sections that the service did not show.')),
    uid: text('UID of the stack.'),
  },
  ['name', 'environment', 'variables', 'servers', 'deployments', 'without', 'uid'],
  { id: 'uid' },
);

/**
 * Reads the stacks, with GET only. A section that the service does not show is left out and named. Throws for any other
 * failure: a list that is incomplete, a lost connection.
 */
export async function readSource(context: Context, uids: readonly string[]): Promise<CopySource> {
  context.host.limitRequests(mostAtOnce);
  const without: MissingSection[] = [];
  const read = readerOf(context, without);
  const [accounts, ...found] = await Promise.all([
    read('accounts', undefined, {}),
    ...uids.map(async (uid) => readStack(await stackRow(context, uid), read)),
  ] as const);
  const accountIds = [...new Set(found.map(({ row }) => row.account_id ?? accounts?.[0]?.id))];
  const gateways = await Promise.all(
    accountIds
      .filter((id) => id !== undefined)
      .map(async (id) => {
        return [id, await read('gateways', String(id), { account_id: id })] as const;
      }),
  );
  without.sort((one, other) => sections.indexOf(one.section as Section) - sections.indexOf(other.section as Section));
  return { stacks: found, accounts, gateways: new Map(gateways), without };
}

async function stackRow({ call, host }: Context, uid: string): Promise<StackRow> {
  const listed = (await host.listStacks())?.find((row) => row.uid === uid);
  if (listed) return listed;
  const row = await call(stacks.get, { id: uid }).catch(expectCliError);
  if (!(row instanceof CliError)) return row;
  throw row.details.status === 403 ? new CliError('unavailable', row.message, { status: 403 }) : row;
}

type ReadSection = <Name extends Section>(
  section: Name,
  place: string | undefined,
  input: Input,
  more?: ReadMore,
) => Promise<RowsOf<Name>>;

function readerOf({ call }: Context, without: MissingSection[]): ReadSection {
  return async <Name extends Section>(section: Name, place: string | undefined, input: Input, more?: ReadMore) => {
    const { list } = catalogue[section];
    const rows = await call(list, input as never, more).catch(expectCliError);
    if (!(rows instanceof CliError)) return rows as RowsOf<Name>;
    const { status = 0 } = rows.details;
    // The service answers 400 for a group without databases.
    if (section === 'databases' && status === 400) return undefined;
    if (status !== 403 && status !== 404 && status < 500) throw rows;
    const why = status === 403 ? `no ${list.scope} scope` : String(status);
    for (const name of [section, ...(dependents[section] ?? [])]) {
      without.push({ section: name, label: labels[name], ...(place !== undefined && { place }), why });
    }
    return undefined;
  };
}

async function readStack(row: StackRow, read: ReadSection): Promise<SourceStack> {
  const { uid } = row;
  const inStack = { stack_id: uid };
  const [variables, settings, servers, variants, deployments, backups, groups] = await Promise.all([
    read('environments', uid, inStack),
    read('stackSettings', uid, inStack),
    readServers(uid, read),
    read('variants', uid, inStack),
    read('deployments', uid, inStack, { limit: mostDeployments }),
    read('backups', uid, { id: uid }),
    readGroups(uid, read),
  ]);
  return { row, variables, settings, ...servers, variants, deployments, backups, groups };
}

async function readServers(uid: string, read: ReadSection): Promise<Pick<SourceStack, 'servers' | 'processes'>> {
  const [rows, processes] = await Promise.all([
    read('servers', uid, { stack_id: uid }),
    read('processes', uid, { stack_id: uid }),
  ]);
  const readOne = async (row: ServerRow) => {
    const [settings, tags] = await Promise.all([
      read('serverSettings', row.uid, { stack_id: uid, server_id: row.uid }),
      read('tags', row.uid, { entity_type: 'server', entity_id: row.uid }),
    ]);
    return { row, settings, tags };
  };
  return { servers: await Promise.all((rows ?? []).map(readOne)), processes };
}

async function readGroups(uid: string, read: ReadSection): Promise<SourceStack['groups']> {
  const rows = (await read('serverGroups', uid, { stack_id: uid })) ?? [];
  return Promise.all(
    rows.map(async (row) => {
      const input = { stack_id: uid, server_group_id: String(row.id) };
      const databases = await read('databases', String(row.id), input);
      const users = databases && (await read('databaseUsers', String(row.id), input));
      return { row, databases, users };
    }),
  );
}
