import type { Hint } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { globalOptions, plainWordPositions, wordsBeforeDashes } from '../arguments/options.ts';
import { createDictionary } from './dictionary.ts';
import { type ReadLine, suggestCommand } from './hint.ts';
import { text as commands } from './words/commands.txt';
import { text as resources } from './words/resources.txt';
import { text as verbs } from './words/verbs.txt';

const findOurResources = createDictionary(resources);

const findOurCommands = createDictionary(commands);

/** Finds the instruction (left of `<-`) for words without a command here (right). It may end with another command. */
const findInstructions = createDictionary(`
  profile set creates a profile with its first value: stackops profile set --help <- profile create, profile add, profile new, profile copy, profile rename
  backups are made by a schedule: backup create changes it; the newest are in: stackops backup list <- backup schedule, backup schedules, backup cron, backup plan, backup frequency
  backups are kept as their schedule says, and not deleted here; those that exist are in: stackops backup list <- backup delete, backup remove, backup rm, backup prune
  backup import restores a database from an address: stackops backup import --help <- restore, db restore, backup restore
  an action runs to its end; a deployment can be cancelled: stackops deployment cancel --help <- action cancel, action stop, action retry, action abort, action kill
  the address of a database is a variable of the stack: stackops stack env list <- db url, db uri, db connection, db credentials-url, db dsn
  users and their passwords are managed on the website of the service; those that exist are in: stackops user list <- user password, user reset-password, user passwd, user invite, user create, user add, user delete, user remove, user disable, password, passwd, invite
  a canary is started by a deployment: stackops redeploy --rollout-strategy canary --canary-percentage 10 <- canary start, canary create, variant create, variant new, variant add, variant start, canary new
  a ramp needs its steps, such as --steps 5,25,50,100 --every 10m; what it does is in: stackops variant ramp --help <- ramp start, ramp up, ramp run, ramp new, ramp create, variant ramp start, canary ramp start
  a new deployment restarts all processes: stackops restart <- process restart, process reload, process kill, process reboot
  nothing is stopped or started here; process scale NAME=0 ends a process, and maintenance mode is: stackops stack settings set maintenance.mode=true <- stop, start, down, kill, suspend, enable, disable, halt, shutdown, poweroff, power-off, poweron, power-on, hibernate, server stop, server start, process stop, process start, process delete, stack stop, stack start
  server ssh opens a shell on a server, or runs a command there; the servers are in: stackops server list <- exec, shell, sh, bash, console, attach, port-forward, proxy, tunnel, connect, psql, redis-cli, vnc, migrate, rake, rails
  server run runs a command on servers; a program on this machine gets the variables of a stack with: stackops stack env run --help <- run
  the service has no logs to show; server run -- tail reads them on the servers, and what happened is in: stackops activity <- log, logs, tail, journalctl, drain, drains, trace
  the service has no metrics or alerts; what is live, in progress and wrong is in: stackops status <- metric, metrics, graph, graphs, alert, alerts, insights, uptime, apm
  stacks and servers are not created, renamed or deleted here; those that exist are in: stackops status <- create, new, init, launch, clone, fork, rename, destroy, delete, rm, remove, resize, rebuild, provision, prune, cordon, uncordon, server drain, server cordon, server retire, stack create, stack new, stack init, stack rename, stack delete, stack destroy, stack clone, server create, server new, server rename, server delete, server destroy, server rm, server remove, cluster delete
  there is no command for domains, certificates or cron jobs; what can be set is in: stackops stack settings list <- domain, domains, cert, certs, certificate, certificates, ssl, tls, dns, buildpack, buildpacks, cron
  there is no command for add-ons, volumes, networks, prices or plugins; the commands that exist are in: stackops commands <- addon, addons, add-ons, volume, volumes, disk, disks, network, networks, ip, ips, load-balancer, floating-ip, pvc, vpc, billing, invoice, invoices, balance, cost, costs, pricing, payments, plugin, plugins, extension, extensions, alias, aliases
  --wait --notify tells when a wait is over; for every long wait of a profile: stackops profile set notify=desktop <- notify, notification, notifications, webhook, webhooks, subscribe
  a profile can ask a program of yours to approve every change, or you to type a name: stackops help confirmation <- approve, approval, approvals, approver, protect, protected, confirm
  --read-only refuses every change; for a whole profile: stackops profile set readonly=true <- read-only, readonly
  there is no command for SSH keys; a gateway takes its key with: stackops gateway update --help <- ssh-key, ssh-keys, key, keys
  the package manager that installed this tool updates it; the version is: stackops --version <- update, upgrade, self-update
`);

const findOurVerbs = createDictionary(verbs);

interface OurWords {
  /** Our names of resources, each with its full command words: `env` with `stack env`. */
  readonly names: ReadonlyMap<string, string>;
  readonly loadTree: (resource: string) => Promise<CommandNode>;
  readonly read: ReadLine;
}

/** Returns a hint for the words of another tool: a command line, or a sentence if we have no command. */
export async function suggestWords(argv: readonly string[], ourWords: OurWords): Promise<Hint | undefined> {
  const input = readWords(argv);
  const { typed } = input;
  const hintFor = (words: string, count: number) => findHint(words, count, input, ourWords.read);
  const firstWords = (count: number) => typed.slice(0, count).join(' ');
  for (const count of typed.length === 1 ? [1] : [3, 2]) {
    const hint = typed.length >= count ? await hintFor(firstWords(count), count) : undefined;
    if (hint) return hint;
  }
  const request = findResource(typed, ourWords.names);
  if (!request) return hintFor(firstWords(1), 1);
  const { resource, verb = '', count, isOurs } = request;
  // A common verb fits many resources, so a sentence for it would be about another resource.
  const isCommonVerb = suggestVerbs(verb).length > 1;
  const hint =
    (await hintFor(`${resource} ${verb}`, count)) ??
    (await suggestVerb(request, typed.length === count, { ...ourWords, ...input })) ??
    (isCommonVerb ? undefined : (findInstructions(verb)[0] ?? (isOurs ? undefined : await hintFor(firstWords(1), 1))));
  return hint ?? (isOurs ? undefined : { path: resource, flags: ['--help'] });
}

type TypedWords = ReturnType<typeof readWords>;

/**
 * Returns the plain words of a line, of which `config:set` is two, and a function that replaces the first words.
 * `hasFlags` is true for a line with a flag that is not global.
 */
function readWords(argv: readonly string[]) {
  const [firstAt = -1] = plainWordPositions(argv);
  // `config:set` of other tools sets variables, not settings.
  const parts = (argv[firstAt] ?? '').replace(/^config:/, 'config-vars:').split(':');
  const line = parts.every((part) => /^[a-z][a-z-]*$/.test(part)) ? argv.toSpliced(firstAt, 1, ...parts) : argv;
  const positions = plainWordPositions(line);
  const typed = positions.map((at) => line[at] ?? '');
  const globalFlags = globalOptions.map(({ long }) => long);
  const flags = wordsBeforeDashes(line).filter((word) => word.startsWith('--'));
  const hasFlags = flags.some((flag) => !globalFlags.includes(flag.replace(/=.*$/s, '')));
  const replaceFirst = (count: number, newWords: readonly string[]) => {
    const takesValue = newWords.some((word) => word.includes('VALUE'));
    const filledWords = newWords.map((word) => word.replace('VALUE', () => typed[count] ?? ''));
    const replacedPositions = positions.slice(0, takesValue ? count + 1 : count);
    return line.flatMap((word, at) => {
      if (at === positions[0]) return filledWords;
      return replacedPositions.includes(at) ? [] : [word];
    });
  };
  return { typed, hasFlags, replaceFirst };
}

async function findHint(
  words: string,
  count: number,
  { typed, hasFlags, replaceFirst }: TypedWords,
  read: ReadLine,
): Promise<Hint | undefined> {
  const ourCommands = findOurCommands(words);
  for (const ourCommand of ourCommands) {
    if (ourCommand.includes('VALUE') && typed[count] === undefined) continue;
    // `--status` cannot be combined with other flags, so it is left out.
    const newWords = hasFlags ? ourCommand.replace(' --status', '') : ourCommand;
    const command = await suggestCommand(replaceFirst(count, newWords.split(' ')), read);
    if (command) return command;
  }
  const path = ourCommands.find((ourCommand) => !ourCommand.includes('VALUE'))?.replace(/ -.*$/, '');
  return findInstructions(words)[0] ?? (path && { path, flags: ['--help'] });
}

/** Finds a resource and a verb in either order. `isOurs` is true if the resource came first, in our spelling. */
function findResource(typed: readonly string[], names: OurWords['names']) {
  for (const firstIndex of [0, 1]) {
    for (const words of [3, 2, 1].map((count) => typed.slice(firstIndex, firstIndex + count))) {
      const text = words.join(' ');
      const resource = resourceFor(text, names);
      if (resource === undefined) continue;
      const verb = firstIndex === 0 ? typed[words.length] : typed[0];
      const count = words.length + (verb === undefined ? 0 : 1);
      return { resource, verb, count, isPlural: text.endsWith('s'), isOurs: firstIndex === 0 && names.has(text) };
    }
  }
  return undefined;
}

async function suggestVerb(
  { resource, verb, count, isPlural }: NonNullable<ReturnType<typeof findResource>>,
  isWholeLine: boolean,
  { loadTree, read, replaceFirst }: OurWords & TypedWords,
): Promise<Hint | undefined> {
  const [name = ''] = resource.split(' ');
  const tree = await loadTree(name);
  const verbs = verb === undefined ? ['list'] : suggestVerbs(verb);
  const orderedVerbs = isWholeLine && isPlural && verbs.includes('list') ? ['list', ...verbs] : verbs;
  const lines = [...orderedVerbs, ...(verbs.includes('list') ? [''] : [])]
    .map((ourVerb) => `${resource} ${ourVerb}`.trim().split(' '))
    .filter((words) => isCommand(words, tree));
  for (const words of lines) {
    const command = await suggestCommand(replaceFirst(count, words), read);
    if (command) return command;
  }
  return lines[0] && { path: lines[0].join(' '), flags: ['--help'] };
}

function isCommand([word, ...rest]: readonly string[], node: CommandNode | undefined): boolean {
  return word === undefined ? node?.command !== undefined : isCommand(rest, node?.children.get(word));
}

function resourceFor(typed: string, names: OurWords['names']): string | undefined {
  const forms = [typed, typed.replace(/s$/, ''), typed.replace(/es$/, ''), typed.replace(/ies$/, 'y'), `${typed}s`];
  return names.get(forms.find((form) => names.has(form)) ?? '') ?? findOurResources(typed)[0];
}

function suggestVerbs(verb: string): readonly string[] {
  return [verb, ...findOurVerbs(verb).flatMap((verbs) => verbs.split(', '))];
}
