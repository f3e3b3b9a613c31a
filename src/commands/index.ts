import type { Menu } from '../contract/command.ts';
import type { TopLevelCommand } from '../contract/tree.ts';

interface TopLevelSpec extends Omit<TopLevelCommand, 'name' | 'about' | 'load'> {
  readonly load: LoadMenu;
  /** Parts of the menu that can be loaded alone, by command words: a group, or one command without its group. */
  readonly loadersByWords?: Readonly<Record<string, LoadMenu>>;
}

type LoadMenu = () => Promise<Menu>;

/** The top-level commands in the order of the root help. The code of each is a separate chunk of the build. */
export const topLevel: readonly TopLevelCommand[] = [
  command('auth', 'Sign in, sign out, and see who you are.', {
    description:
      'Sign in with a personal token, from stdin or a file, or with an OAuth application in the browser. The token is saved to the active profile and sent only to the origin it was obtained for. STACKOPS_TOKEN and the token_command of the profile override it.',
    load: async () => (await import('./auth/index.ts')).authCommands,
  }),
  command('profile', 'Named sets of address, account and stack.', {
    description:
      'A profile holds the service address and the default account and stack. Choose one for a single command with -p or STACKOPS_PROFILE. With protected=true, every write asks you to type a name.',
    load: async () => (await import('./profile/index.ts')).profileCommands,
  }),
  command('config', 'Preferences, and where each value comes from.', {
    description:
      'A preference applies to every profile that does not set its own. `config list --origin` shows where each value comes from.',
    load: async () => (await import('./config/index.ts')).configCommands,
  }),
  command('stack', 'List stacks; read and change their variables and settings.', {
    description:
      'A stack is named by its UID or exact name, or as name/environment where two share a name. `stack use` sets the default of the profile; -s and STACKOPS_STACK override it.',
    aliases: { env: 'stack env' },
    groups: { 'stack env': 'Environment variables of a stack.', 'stack settings': 'Settings of a stack.' },
    load: async () => (await import('./stack/index.ts')).stackCommands,
    loadersByWords: {
      env: async () => (await import('./env/index.ts')).envCommands,
      'env set': async () => ({ 'stack env set': (await import('./env/set.ts')).envSetCommand }),
      settings: async () => (await import('./settings/index.ts')).stackSettingCommands,
    },
  }),
  command('server', 'Servers of a stack and their settings.', {
    description: 'A server is named by its UID or its exact name.',
    groups: { 'server settings': 'Settings of a server.' },
    load: async () => (await import('./server/index.ts')).serverCommands,
  }),
  command('deployment', 'List, start, watch, cancel, promote and roll back deployments.', {
    description:
      'A deployment is only queued when the service responds. --wait waits for it to finish, and so does `deployment wait`.',
    load: async () => (await import('./deployment/index.ts')).deploymentCommands,
  }),
  command('redeploy', 'Deploy a stack again; short for `deployment create`.', {
    description: 'Deploys the configured branch by default. --wait waits for it to finish, --notify tells you then.',
    load: async () => (await import('./deployment/index.ts')).redeployCommands,
  }),
  command('restart', 'Deploy the live commit again.', {
    description:
      'Starts all processes anew, of the same version. It is refused during another deployment, unless --if-busy says otherwise. --wait waits for it to finish.',
    load: async () => (await import('./deployment/index.ts')).restartCommands,
  }),
  command('variant', 'List variants, shift traffic to a canary, commit a rollout.', {
    description:
      '`variant weight` sets the share of traffic of a canary. `variant commit` makes it the active version.',
    load: async () => (await import('./variant/index.ts')).variantCommands,
    loadersByWords: { ramp: async () => (await import('./variant/ramp/command.ts')).rampCommands },
  }),
  command('process', 'Processes of a stack.', {
    description:
      '`process scale` changes the count on each server that runs the process, or on the one given with --server.',
    load: async () => (await import('./process/index.ts')).processCommands,
  }),
  command('status', 'What is live, in progress and wrong: one stack, or all.', {
    description: 'Without a stack it shows a row for each.',
    load: async () => (await import('./status/index.ts')).statusCommands,
  }),
  command('pull', 'Write the present state of stacks into a file.', {
    description:
      'Creates the file, or edits it in place: its comments and references stay. A secret becomes `preserve: true`; no value of it is written.',
    load: async () => (await import('./state/pull.ts')).pullCommands,
  }),
  command('plan', 'The changes that make stacks as a file describes them.', {
    description: 'Reads only.',
    load: async () => (await import('./state/plan.ts')).planCommands,
  }),
  command('apply', 'Make stacks as a file describes them.', {
    description: 'Shows the plan and asks once. A change made at the service is never overwritten without --take file.',
    load: async () => (await import('./state/apply.ts')).applyCommands,
  }),
  command('drift', 'The changes that nobody made in the file of stacks.', {
    description: 'Reads only: it compares the service with the file and its lock.',
    load: async () => (await import('./state/plan.ts')).driftCommands,
  }),
  command('diff', 'The differences between two stacks.', {
    description:
      'Compares variables, settings, tags, process counts and the live commit. Servers are compared by role. Reads only.',
    load: async () => (await import('./state/diff.ts')).diffCommands,
  }),
  command('tags', 'Tags of servers and load balancers.', {
    description:
      'ENTITY is server/NAME, server/UID or loadbalancer/ID. `tags set` replaces all tags. `tags patch` changes only those you name.',
    load: async () => (await import('./tags/index.ts')).tagCommands,
  }),
  command('db', 'Databases of a server group and their users.', {
    description:
      'Databases and their users belong to a server group. Choose one with -g if a stack has several. Most changes are only queued when the service responds; --wait waits for them to finish.',
    groups: { 'db user': 'Database users of a server group.' },
    load: async () => (await import('./db/index.ts')).dbCommands,
  }),
  command('gateway', 'Gateways of an account.', {
    description:
      'A gateway belongs to an account and is named by its ID or exact name. A key and --ttl open it. The key is read from a file or from stdin.',
    load: async () => (await import('./gateway/index.ts')).gatewayCommands,
  }),
  command('cluster', 'Clusters.', {
    description: 'A cluster is named by its UID or its exact name.',
    load: async () => (await import('./cluster/index.ts')).clusterCommands,
  }),
  command('backup', 'Database backups of a stack.', {
    description:
      'A backup consists of files. They are downloaded from their storage host, which never receives the token.',
    load: async () => (await import('./backup/index.ts')).backupCommands,
  }),
  command('user', 'Users, their access and their devices.', {
    description: 'A user is named by ID or e-mail address.',
    groups: { 'user device': 'Devices of a user that receive notifications.' },
    load: async () => (await import('./user/index.ts')).userCommands,
  }),
  command('account', 'Accounts you belong to.', {
    description: 'The default is the account of the profile, else the current account.',
    load: async () => (await import('./account/index.ts')).accountCommands,
  }),
  command('action', 'Operations in progress.', {
    description: 'The service runs queued operations as actions. `action wait` waits for one to finish.',
    load: async () => (await import('./action/index.ts')).actionCommands,
  }),
  command('reference', 'Clouds and web-server modules; no token needed.', {
    description: 'This data is the same for everybody. No token is sent.',
    load: async () => (await import('./reference/index.ts')).referenceCommands,
  }),
  command('activity', 'What happened in a stack, newest first.', {
    description:
      'One list of deployments, changes of environment variables and settings, actions, backups and the changes made from this machine. Secret values are masked; --reveal shows them. Of a setting only the last change is known. Deleted variables are not shown.',
    load: async () => (await import('./activity/index.ts')).activityCommands,
  }),
  command('open', 'A stack, a commit or a server in the browser.', {
    description: 'The address is always printed. No browser opens in a pipe, over SSH, in CI or without a display.',
    load: async () => (await import('./open/index.ts')).openCommands,
  }),
  command('api', 'Any endpoint of the service, raw.', {
    description: '{stack} and {account} in the path are filled in.',
    load: async () => (await import('./api/index.ts')).apiCommands,
  }),
  command('history', 'Changes made from this machine.', {
    description: 'Records hold no secrets. A change is open until its outcome is known.',
    load: async () => (await import('./history/index.ts')).historyCommands,
  }),
  command('doctor', 'Diagnose configuration, network and sign-in problems.', {
    description:
      'Checks this machine, the network and the service, and shows a fix for each problem. It changes nothing.',
    load: async () => (await import('./doctor/index.ts')).doctorCommands,
  }),
  command('completion', 'Completion with TAB in your shell.', {
    description:
      'TAB completes commands, flags, their values, and names from the service. Names are cached for one to five minutes, values never.',
    load: async () => (await import('./completion/index.ts')).completionCommands,
  }),
  command('commands', 'Every command, as a table or as data.', {
    description: 'Help, man pages and completion are generated from the same data.',
    load: async () => (await import('./commands/index.ts')).commandsCommands,
  }),
  command('mcp', 'A server for clients of the Model Context Protocol.', {
    description:
      'Its tools read, plan and, with --allow-writes, change, under the rules of the profile for agents. With -s no other stack can be reached. A client starts it; `docs/agents.md` shows how.',
    load: async () => (await import('./mcp/index.ts')).mcpCommands,
  }),
  command('sandbox', 'A practice service: no account, no network.', {
    description:
      'The sandbox behaves like the service: scopes, checks, pages, and actions and deployments that take time. With --sandbox a command runs against one in the same process. Its state is saved between commands.',
    load: async () => (await import('./sandbox/index.ts')).sandboxCommands,
  }),
];

function command(name: string, about: string, spec: TopLevelSpec): TopLevelCommand {
  return { ...spec, name, about, load: (words) => loadMenu(name, spec, words) };
}

async function loadMenu(
  name: string,
  { load, loadersByWords = {} }: TopLevelSpec,
  [second, third]: readonly string[] = [],
): Promise<Menu> {
  const partLoaders = new Map(Object.entries(loadersByWords));
  const loadOne = partLoaders.get(`${second} ${third}`) ?? partLoaders.get(`${second}`);
  if (loadOne) return loadOne();
  const menu = await load();
  if (Object.hasOwn(menu, `${name} ${second}`)) return menu;
  return Object.assign({}, menu, ...(await Promise.all([...partLoaders.values()].map((loadPart) => loadPart()))));
}
