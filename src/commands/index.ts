import type { Menu } from '../contract/command.ts';
import type { SandboxServices } from './sandbox.ts';
import type { Services } from './services.ts';

/** What the menus of all nouns together may ask for. */
export interface MenuServices extends Services {
  readonly sandbox: SandboxServices;
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
    about: 'Stacks and their environment variables.',
    groups: { 'stack env': 'Environment variables of a stack.' },
    load: async (services) => (await import('./stack.ts')).stackCommands(services),
  },
  {
    name: 'deployment',
    about: 'Deployments of a stack.',
    load: async () => (await import('../resources/deployment.ts')).deploymentMenu,
  },
  {
    name: 'redeploy',
    about: 'Deploy a stack again; short for `deployment create`.',
    load: async () => (await import('../resources/deployment.ts')).redeployMenu,
  },
  {
    name: 'variant',
    about: 'Application variants: canaries, rollouts, previews.',
    load: async () => (await import('../resources/variant.ts')).variantMenu,
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
    name: 'account',
    about: 'Accounts you belong to.',
    load: async () => (await import('../resources/account.ts')).accountMenu,
  },
  {
    name: 'action',
    about: 'What the service is doing to a stack.',
    load: async () => (await import('../resources/action.ts')).actionMenu,
  },
  {
    name: 'reference',
    about: 'Clouds and web-server modules; no token needed.',
    load: async () => (await import('../resources/reference.ts')).referenceMenu,
  },
  {
    name: 'sandbox',
    about: 'The service, rehearsed: no account, no network.',
    load: async (services) => (await import('./sandbox.ts')).sandboxMenu(services.sandbox),
  },
];
