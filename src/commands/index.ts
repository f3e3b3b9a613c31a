import type { Menu } from '../contract/command.ts';
import type { StorageServices } from './backup-download.ts';
import type { CommandsServices } from './commands.ts';
import type { DoctorServices } from './doctor-check.ts';
import type { SandboxServices } from './sandbox.ts';
import type { Services } from './services.ts';

/** What the menus of all nouns together may ask for. */
export interface MenuServices extends Services {
  readonly sandbox: SandboxServices;
  readonly storage: () => Promise<StorageServices>;
  readonly doctor: () => Promise<DoctorServices>;
  readonly commands: CommandsServices;
}

/** A top-level word: its purpose, the groups below it, and what is loaded when it is typed. */
export interface Noun {
  readonly name: string;
  readonly about: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly load: (services: MenuServices) => Promise<Menu>;
}

/** The words of the tool in the order of the root help; each is its own chunk of the build. */
export const nouns: readonly Noun[] = [
  {
    name: 'auth',
    about: 'Sign in, sign out, and see who you are.',
    load: async (services) => (await import('./auth.ts')).authMenu(services),
  },
  {
    name: 'profile',
    about: 'Named sets of address, account and stack.',
    load: async (services) => (await import('./profile.ts')).profileMenu(services),
  },
  {
    name: 'config',
    about: 'Preferences, and where each value comes from.',
    load: async (services) => (await import('./config.ts')).configMenu(services),
  },
  {
    name: 'stack',
    about: 'Stacks, their environment variables and settings.',
    groups: { 'stack env': 'Environment variables of a stack.', 'stack settings': 'Settings of a stack.' },
    load: async (services) => (await import('./stack.ts')).stackCommands(services),
  },
  {
    name: 'server',
    about: 'Servers of a stack and their settings.',
    groups: { 'server settings': 'Settings of a server.' },
    load: async () => (await import('./server.ts')).serverCommands,
  },
  {
    name: 'deployment',
    about: 'Deployments of a stack.',
    load: async () => (await import('./deployment.ts')).deploymentCommands,
  },
  {
    name: 'redeploy',
    about: 'Deploy a stack again; short for `deployment create`.',
    load: async () => (await import('./deployment.ts')).redeployCommands,
  },
  {
    name: 'variant',
    about: 'Application variants: canaries, rollouts, previews.',
    load: async () => (await import('./variant.ts')).variantCommands,
  },
  {
    name: 'process',
    about: 'Processes of a stack.',
    load: async () => (await import('./process.ts')).processCommands,
  },
  {
    name: 'tags',
    about: 'Tags of servers and load balancers.',
    load: async () => (await import('./tags.ts')).tagStories,
  },
  {
    name: 'db',
    about: 'Databases of a server group and their users.',
    groups: { 'db user': 'Database users of a server group.' },
    load: async () => (await import('./db.ts')).dbMenu,
  },
  {
    name: 'gateway',
    about: 'Gateways of an account.',
    load: async () => (await import('./gateway.ts')).gatewayCommands,
  },
  {
    name: 'cluster',
    about: 'Clusters.',
    load: async () => (await import('./cluster.ts')).clusterCommands,
  },
  {
    name: 'backup',
    about: 'Database backups of a stack.',
    load: async (services) => (await import('./backup.ts')).backupCommands(await services.storage()),
  },
  {
    name: 'user',
    about: 'Users, what they may do, and their devices.',
    groups: { 'user device': 'Devices of a user that are notified.' },
    load: async () => (await import('./user.ts')).userCommands,
  },
  {
    name: 'account',
    about: 'Accounts you belong to.',
    load: async () => (await import('../resources/account.ts')).accountMenu,
  },
  {
    name: 'action',
    about: 'What the service is doing to a stack.',
    load: async () => (await import('./action.ts')).actionCommands,
  },
  {
    name: 'reference',
    about: 'Clouds and web-server modules; no token needed.',
    load: async () => (await import('../resources/reference.ts')).referenceMenu,
  },
  {
    name: 'api',
    about: 'Any endpoint of the service, raw.',
    load: async () => (await import('./api.ts')).apiMenu,
  },
  {
    name: 'history',
    about: 'What was changed from this machine.',
    load: async (services) => (await import('./history.ts')).historyMenu(services),
  },
  {
    name: 'doctor',
    about: 'What is wrong on this machine, and how to repair it.',
    load: async (services) => (await import('./doctor.ts')).doctorMenu(services, await services.doctor()),
  },
  {
    name: 'completion',
    about: 'What TAB completes in your shell.',
    load: async (services) => (await import('./completion.ts')).completionMenu(services),
  },
  {
    name: 'commands',
    about: 'Every command, as a table or as data.',
    load: async (services) => (await import('./commands.ts')).commandsMenu(services.commands),
  },
  {
    name: 'sandbox',
    about: 'The service, rehearsed: no account, no network.',
    load: async (services) => (await import('./sandbox.ts')).sandboxMenu(services.sandbox),
  },
];
