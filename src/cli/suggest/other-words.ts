import type { CommandNode } from '../../contract/tree.ts';

/**
 * What other tools call what we have. None of these words does anything: they only make a better suggestion than
 * spelling can.
 */

/** Nouns of other tools, and plurals; on their own they ask for a list. */
const nounsElsewhere: Readonly<Record<string, string>> = {
  envs: 'stack env',
  environment: 'stack env',
  environments: 'stack env',
  variables: 'stack env',
  settings: 'stack settings',
  stacks: 'stack',
  apps: 'stack',
  servers: 'server',
  deployments: 'deployment',
  releases: 'deployment',
  variants: 'variant',
  canary: 'variant',
  processes: 'process',
  database: 'db',
  databases: 'db',
  gateways: 'gateway',
  clusters: 'cluster',
  backups: 'backup',
  users: 'user',
  accounts: 'account',
  actions: 'action',
  profiles: 'profile',
};

/** Top-level words of other tools that stand for one command. */
const commandsElsewhere: Readonly<Record<string, string>> = {
  login: 'auth login',
  logout: 'auth logout',
  whoami: 'auth status',
  version: '--version',
  deploy: 'redeploy',
  release: 'redeploy',
  rollback: 'deployment rollback',
  ls: 'stack list',
  list: 'stack list',
  use: 'stack use',
  ps: 'process list',
  scale: 'process scale',
  reboot: 'server reboot',
  cancel: 'deployment cancel',
  ssh: 'server ssh-config',
  tag: 'tags',
  events: 'activity',
  watch: 'status --watch',
  browse: 'open',
};

/** Flags of other tools, and ours in short. */
const flagsElsewhere: Readonly<Record<string, readonly string[]>> = {
  '--canary': ['--rollout-strategy', 'canary', '--canary-percentage'],
  '--branch': ['--git-ref'],
  '--commit': ['--git-ref'],
  '--follow': ['--watch'],
  '--interval': ['--every'],
  '--format': ['--output'],
};

const creating = ['create', 'set'];
const deleting = ['delete', 'unset', 'remove', 'clear', 'cancel'];
const showing = ['get', 'show', 'status'];
const changing = ['update', 'set', 'patch'];

/** Verbs of other tools; the first that the group knows is meant. */
const verbsElsewhere: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  rm: deleting,
  remove: deleting,
  delete: deleting,
  destroy: deleting,
  show: showing,
  describe: showing,
  info: showing,
  get: showing,
  new: creating,
  add: creating,
  create: creating,
  edit: changing,
  update: changing,
  restart: ['reboot'],
  stop: ['cancel'],
  abort: ['cancel'],
  promote: ['commit'],
  rotate: ['regenerate-password', 'user regenerate-password'],
  'rotate-password': ['regenerate-password', 'user regenerate-password'],
  'reset-password': ['regenerate-password', 'user regenerate-password'],
};

const openGateway = 'gateway update sets how long a gateway is open: --ttl 8h opens it, --ttl 0 closes it';

/** Commands of other tools for which we have no command of one word. */
const advice: Readonly<Record<string, string>> = {
  'gateway open': openGateway,
  'gateway close': openGateway,
  'process restart': 'a new deployment restarts all processes: stackops restart',
};

/** What does here what `path` asks for: a sentence. */
export function adviceFor(path: readonly string[]): string | undefined {
  const typed = path.join(' ');
  return Object.hasOwn(advice, typed) ? advice[typed] : undefined;
}

/** Our words for a top-level word of another tool; `isAlone` when no word follows it. */
export function topWordsMeant(word: string, isAlone: boolean): readonly string[] | undefined {
  const noun = Object.hasOwn(nounsElsewhere, word) ? nounsElsewhere[word] : undefined;
  if (noun !== undefined) return [...noun.split(' '), ...(isAlone ? ['list'] : [])];
  return Object.hasOwn(commandsElsewhere, word) ? commandsElsewhere[word]?.split(' ') : undefined;
}

/** Our flags for a flag of another tool; the last one takes its value. */
export function flagsMeant(flag: string): readonly string[] | undefined {
  return Object.hasOwn(flagsElsewhere, flag) ? flagsElsewhere[flag] : undefined;
}

/** Our words, below a group, for a verb of another tool. */
export function verbMeant(word: string, group: CommandNode): readonly string[] | undefined {
  const known = Object.hasOwn(verbsElsewhere, word) ? verbsElsewhere[word] : undefined;
  // Beside `patch`, `set` replaces all that is there: nobody means that by adding.
  if (known === creating && group.children.has('patch')) return undefined;
  return known?.map((words) => words.split(' ')).find((words) => leadsToCommand(words, group));
}

function leadsToCommand([word, ...rest]: readonly string[], node: CommandNode): boolean {
  const below = word === undefined ? undefined : node.children.get(word);
  if (!below) return false;
  return rest.length === 0 ? below.command !== undefined : leadsToCommand(rest, below);
}
