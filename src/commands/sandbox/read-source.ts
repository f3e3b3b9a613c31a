import type { Context } from '../../contract/command.ts';
import { type Input, integer, nullable, text } from '../../contract/field.ts';
import type { ReadOptions } from '../../contract/operation.ts';
import { type Row, record } from '../../contract/record.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { type Catalogue, catalogue } from '../../resources/index.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import type { CopySource, RowsOf } from '../../sandbox/copy/copied-state.ts';
import type { MissingSection } from '../../sandbox/state.ts';

const maxRequestsAtOnce = 4;
const maxDeployments = 50;

/** The sections of a copy, with the names that the notice about missing sections prints, in the order of the notice. */
const sectionLabels = {
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
type Section = keyof typeof sectionLabels;
const sections = Object.keys(sectionLabels) as Section[];
/** For a section that the service does not show: the other sections that are missing because of it. */
const dependentSections: Partial<Record<Section, readonly Section[]>> = {
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

/** Reads the stacks, with GET only. `without` lists sections that the service does not show. Throws other failures. */
export async function readSource(context: Context, stackUids: readonly string[]): Promise<CopySource> {
  context.host.limitRequests(maxRequestsAtOnce);
  const rows: RowsByPlace = new Map();
  const without: MissingSection[] = [];
  const readSection = createSectionReader(context, rows, without);
  const readWholeStack = async (uid: string) => {
    const row = await findStackRow(context, uid);
    rows.set(`stacks ${uid}`, [row]);
    await readStack(uid, readSection);
    return row.account_id;
  };
  const accountsRead = readSection('accounts', undefined, {});
  const [accountRows, ...ids] = await Promise.all([accountsRead, ...stackUids.map(readWholeStack)] as const);
  const accounts = [...new Set(ids.map((id) => id ?? accountRows?.[0]?.id))].filter((id) => id !== undefined);
  await Promise.all(accounts.map((id) => readSection('gateways', String(id), { account_id: id })));
  const positionOf = ({ section }: MissingSection) => sections.indexOf(section as Section);
  without.sort((one, other) => positionOf(one) - positionOf(other));
  return { stacks: stackUids, accounts, rows, without };
}

async function findStackRow({ call, host }: Context, uid: string): Promise<StackRow> {
  const listedRow = (await host.listStacks())?.find((row) => row.uid === uid);
  if (listedRow) return listedRow;
  const row = await call(stacks.get, { id: uid }).catch(expectCliError);
  if (!(row instanceof CliError)) return row;
  throw row.details.status === 403 ? new CliError('unavailable', row.message, { status: 403 }) : row;
}

type RowsByPlace = Map<string, readonly Row[]>;
type ReadSection = <Name extends Section>(
  section: Name,
  place: string | undefined,
  input: Input,
  more?: ReadOptions,
) => Promise<RowsOf<Name>>;

function createSectionReader({ call }: Context, rows: RowsByPlace, without: MissingSection[]): ReadSection {
  return async <Name extends Section>(section: Name, place: string | undefined, input: Input, more?: ReadOptions) => {
    const { list } = catalogue[section];
    const reply = await call(list, input as never, more).catch(expectCliError);
    if (!(reply instanceof CliError)) {
      rows.set(`${section} ${place}`, [reply].flat());
      return reply as RowsOf<Name>;
    }
    const { status = 0 } = reply.details;
    // The service answers 400 for a group without databases, so nothing is missing.
    if (section === 'databases' && status === 400) return undefined;
    if (status !== 403 && status !== 404 && status < 500) throw reply;
    const why = status === 403 ? `no ${list.scope} scope` : String(status);
    for (const name of [section, ...(dependentSections[section] ?? [])]) {
      without.push({ section: name, label: sectionLabels[name], ...(place !== undefined && { place }), why });
    }
    return undefined;
  };
}

async function readStack(uid: string, read: ReadSection): Promise<void> {
  const stackInput = { stack_id: uid };
  const plainSections = ['environments', 'stackSettings', 'processes', 'variants'] as const;
  const [servers = [], groups = []] = await Promise.all([
    read('servers', uid, stackInput),
    read('serverGroups', uid, stackInput),
    ...plainSections.map((section) => read(section, uid, stackInput)),
    read('deployments', uid, stackInput, { limit: maxDeployments }),
    read('backups', uid, { id: uid }),
  ] as const);
  const serverReads = servers.flatMap(({ uid: server_id }) => [
    read('serverSettings', server_id, { ...stackInput, server_id }),
    read('tags', server_id, { entity_type: 'server', entity_id: server_id }),
  ]);
  const groupReads = groups.map(async ({ id }) => {
    const groupInput = { ...stackInput, server_group_id: String(id) };
    const databases = await read('databases', String(id), groupInput);
    if (databases) await read('databaseUsers', String(id), groupInput);
  });
  await Promise.all([...serverReads, ...groupReads]);
}
