import type { Menu } from '../contract/command.ts';
import type { StorageServices } from './backup/download.ts';
import type { CommandsServices } from './commands/index.ts';
import type { DoctorServices } from './doctor/check.ts';
import type { SandboxServices } from './sandbox/index.ts';
import type { Services } from './services.ts';

/** What the menus of all nouns together may ask for. */
export interface MenuServices extends Services {
  readonly sandbox: SandboxServices;
  readonly storage: () => Promise<StorageServices>;
  readonly doctor: () => Promise<DoctorServices>;
  readonly commands: CommandsServices;
}

/** A top-level word: its purpose, the groups below it, and what is loaded when it is typed. */
export interface CommandEntry {
  readonly name: string;
  readonly about: string;
  /** What to know before any of its commands: a sentence or two. */
  readonly description: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly load: (services: MenuServices) => Promise<Menu>;
}

/** The words of the tool in the order of the root help; each is its own chunk of the build. */
export const nouns: readonly CommandEntry[] = [
  {
    name: 'auth',
    about: 'Sign in, sign out, and see who you are.',
    description:
      'A personal token is read from stdin or a file; one of an application comes from signing in with the browser. It is stored for the profile in use, STACKOPS_TOKEN wins over it, and it is sent only to the origin it was obtained for.',
    load: async (services) => (await import('./auth/index.ts')).authCommands(services),
  },
  {
    name: 'profile',
    about: 'Named sets of address, account and stack.',
    description:
      'A profile keeps where the service is and where commands act; -p or STACKOPS_PROFILE chooses one for a single command. With protected=true every write of a profile asks for a typed name.',
    load: async (services) => (await import('./profile/index.ts')).profileCommands(services),
  },
  {
    name: 'config',
    about: 'Preferences, and where each value comes from.',
    description:
      'A preference holds for every profile that does not say otherwise. `config list --origin` shows what won, and where it came from.',
    load: async (services) => (await import('./config/index.ts')).configCommands(services),
  },
  {
    name: 'stack',
    about: 'Stacks, their environment variables and settings.',
    description:
      'A stack is named by its UID or exact name, or as name/environment where two share a name. `stack use` keeps one as the default of the profile; -s and STACKOPS_STACK come before it.',
    groups: { 'stack env': 'Environment variables of a stack.', 'stack settings': 'Settings of a stack.' },
    load: async (services) => (await import('./stack/index.ts')).stackCommands(services),
  },
  {
    name: 'server',
    about: 'Servers of a stack and their settings.',
    description: 'A server is named by its UID or its exact name.',
    groups: { 'server settings': 'Settings of a server.' },
    load: async () => (await import('./server/index.ts')).serverCommands,
  },
  {
    name: 'deployment',
    about: 'Deployments of a stack.',
    description:
      'The service only takes a deployment on when it answers; --wait watches until its end is seen, and so does `deployment wait` later.',
    load: async () => (await import('./deployment/index.ts')).deploymentCommands,
  },
  {
    name: 'redeploy',
    about: 'Deploy a stack again; short for `deployment create`.',
    description: 'The service only takes it on when it answers; --wait watches until its end is seen.',
    load: async () => (await import('./deployment/index.ts')).redeployCommands,
  },
  {
    name: 'variant',
    about: 'Application variants: canaries, rollouts, previews.',
    description:
      '`variant weight` gives a canary its share of the traffic, and `variant commit` makes it the active version.',
    load: async () => (await import('./variant/index.ts')).variantCommands,
  },
  {
    name: 'process',
    about: 'Processes of a stack.',
    description: '`process scale` counts on each server that runs the process, unless --server names one.',
    load: async () => (await import('./process/index.ts')).processCommands,
  },
  {
    name: 'tags',
    about: 'Tags of servers and load balancers.',
    description:
      'ENTITY is server/UID or loadbalancer/ID. `tags set` replaces all tags, `tags patch` only those that are named.',
    load: async () => (await import('./tags/index.ts')).tagCommands,
  },
  {
    name: 'db',
    about: 'Databases of a server group and their users.',
    description:
      'Databases and their users belong to a server group; -g says which where a stack has several. Most changes are only queued when the service answers; --wait watches until their end is seen.',
    groups: { 'db user': 'Database users of a server group.' },
    load: async () => (await import('./db/index.ts')).dbCommands,
  },
  {
    name: 'gateway',
    about: 'Gateways of an account.',
    description:
      'A gateway belongs to an account, and is named by its id or exact name. A key and a time to live open it; the key is read from a file or from stdin.',
    load: async () => (await import('./gateway/index.ts')).gatewayCommands,
  },
  {
    name: 'cluster',
    about: 'Clusters.',
    description: 'A cluster is named by its UID or its exact name.',
    load: async () => (await import('./cluster/index.ts')).clusterCommands,
  },
  {
    name: 'backup',
    about: 'Database backups of a stack.',
    description:
      'A backup consists of files, which are downloaded from where they are stored; the token is never sent there.',
    load: async (services) => (await import('./backup/index.ts')).backupCommands(await services.storage()),
  },
  {
    name: 'user',
    about: 'Users, what they may do, and their devices.',
    description: 'A user is named by id or e-mail address.',
    groups: { 'user device': 'Devices of a user that are notified.' },
    load: async () => (await import('./user/index.ts')).userCommands,
  },
  {
    name: 'account',
    about: 'Accounts you belong to.',
    description: 'Where no account is named, that of the profile is meant, else the current one.',
    load: async () => (await import('./account/index.ts')).accountCommands,
  },
  {
    name: 'action',
    about: 'What the service is doing to a stack.',
    description: 'What the service has taken on goes on as an action. `action wait` watches one until its end is seen.',
    load: async () => (await import('./action/index.ts')).actionCommands,
  },
  {
    name: 'reference',
    about: 'Clouds and web-server modules; no token needed.',
    description: 'What is asked here is the same for everybody, and no token is sent.',
    load: async () => (await import('./reference/index.ts')).referenceCommands,
  },
  {
    name: 'api',
    about: 'Any endpoint of the service, raw.',
    description: '{stack} and {account} in the path are filled in. `api --list` shows the endpoints this tool knows.',
    load: async () => (await import('./api/index.ts')).apiCommands,
  },
  {
    name: 'history',
    about: 'What was changed from this machine.',
    description:
      'Each change is recorded before it leaves this machine, and its answer afterwards; values and tokens are no part of the record. A change is open while nobody knows whether it was made.',
    load: async (services) => (await import('./history/index.ts')).historyCommands(services),
  },
  {
    name: 'doctor',
    about: 'What is wrong on this machine, and how to repair it.',
    description:
      'It looks at this machine, the network and the service, and names the repair for each thing it finds. It changes nothing.',
    load: async (services) => (await import('./doctor/index.ts')).doctorCommands(services, await services.doctor()),
  },
  {
    name: 'completion',
    about: 'What TAB completes in your shell.',
    description:
      'TAB completes words, flags and what they may be, and names that the service knows. Names are kept for one to five minutes, values never.',
    load: async (services) => (await import('./completion/index.ts')).completionCommands(services),
  },
  {
    name: 'commands',
    about: 'Every command, as a table or as data.',
    description: 'Help, man pages and completion are made of the same data.',
    load: async (services) => (await import('./commands/index.ts')).commandsCommands(services.commands),
  },
  {
    name: 'sandbox',
    about: 'The service, rehearsed: no account, no network.',
    description:
      'It behaves like the service: scopes, checks, pages, and actions and deployments that go on with time. With --sandbox a command runs against one in the same process, whose state is kept between commands.',
    load: async (services) => (await import('./sandbox/index.ts')).sandboxCommands(services.sandbox),
  },
];
