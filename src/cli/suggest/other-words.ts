import type { Hint } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { globalOptions, plainWordPositions, wordsBeforeDashes } from '../arguments/options.ts';
import { dictionary } from './dictionary.ts';
import { type ReadLine, suggestCommand } from './hint.ts';

/** Finds our resource (left) for a resource of other tools (right). Without a verb a resource stands for its list. */
const resourcesFor = dictionary(`
  stack <- app, apps, application, applications, project, projects, site, sites, namespace, namespaces, ns
  stack env <- envs, environment, environments, variable, variables, var, vars, secret, secrets, configmap, configmaps, config-vars, env-vars, dotenv, environment variable, environment variables, stack envs, stack config, stack variables, stack vars, stack secrets
  stack settings <- setting, settings, features
  server <- machine, machines, node, nodes, no, instance, instances, vm, vms, droplet, droplets, host, hosts, compute, compute droplet, compute droplets, compute instance, compute instances
  deployment <- deploy, deploys, release, releases, build, builds, revision, revisions, rollout, rollouts, runs
  variant <- canary, canaries, preview, previews, review-app, review-apps, reviewapps
  process <- pod, pods, po, dyno, dynos, container, containers, worker, workers, unit, units, list-units, service, services, svc, ps
  db <- database, databases, pg, postgres, postgresql, mysql, redis, mongodb
  db user <- db user, db users, database user, database users, pg users
  gateway <- bastion, bastions, firewall, firewalls
  cluster <- k8s, kubernetes
  backup <- snapshot, snapshots, dump, dumps, pg backup, pg backups, database backups
  user <- member, members, collaborator, collaborators, access, team, teams
  account <- org, orgs, organization, organizations
  action <- job, jobs, task, tasks, operation, operations
  profile <- context, contexts, remote, remotes
  tags <- label, labels
  reference clouds <- region, regions, size, sizes, location, locations, cloud, clouds, datacenter, datacenters, server-type, server-types, zone, zones, image, images
`);

/** Finds our commands (left) for commands of other tools (right). VALUE is the typed word after the command. */
const commandsFor = dictionary(`
  auth login <- login, signin, auth init, auth signin, auth setup, token create, setup
  auth logout <- logout, signout
  auth status <- whoami, auth whoami, auth list, auth ls, me, auth show, user me, user whoami, account whoami, user current, auth refresh, auth info
  auth check <- auth verify, auth test, auth scopes
  auth token <- token, auth print-token
  account otp <- otp, totp, 2fa, mfa, user 2fa, user mfa, user otp, auth otp, account 2fa
  --version <- version
  restart <- reload, stack restart, stack reload, rollout restart, dyno restart, ps restart, deployment restart, compose restart
  redeploy <- deploy, release, up, push, start, ship, stack deploy, stack redeploy, builds create, rollout start, compose up, deployment retry, deployment redo
  deployment promote <- promote, stack promote, pipelines promote, pipeline, pipelines
  deployment rollback <- rollback, rollout undo, rollout rollback, revert, stack rollback
  deployment cancel <- cancel, rollout cancel, rollout abort, rollout stop, deployment kill, redeploy cancel, redeploy stop, redeploy abort
  deployment list <- rollout history, releases history, deployment history, deployment ls, run list, redeploy list, redeploy history
  deployment get <- run view
  deployment get latest <- deployment latest, deployment last, deployment newest
  deployment get live <- deployment live, deployment current, deployment active
  deployment wait <- wait, rollout watch, deployment watch, deployment follow
  stack env diff <- diff
  stack env list --pending <- env pending, stack env pending, stack env unsaved, stack env undeployed, pending
  stack env history <- stack env versions, stack env log, stack env changes, stack env audit
  stack env copy --all <- stack env sync, stack env clone, stack env cp
  stack env run <- stack env exec, env exec, local
  stack env list <- stack env secrets, stack env keys, stack env vars, stack env variables, config vars
  stack list <- ls, list, compose ls, stack search, stack find
  stack get <- stack current, stack describe
  stack use <- use, link, select, switch, stack link, stack select, stack switch, stack default, stack set-default, stack checkout
  stack env set <- stack env update, stack env modify, set, setenv, config set-env, stack env change, stack env put, export
  stack env get <- getenv
  stack env unset <- unset, unsetenv, stack env clear
  stack env export --to VALUE <- stack env pull, stack env download, stack env save, stack env backup, stack env dump
  stack env export <- printenv, stack env print, stack env pull, stack env dump, stack env download, stack env save
  stack env import <- stack env push, stack env load, stack env upload, stack env apply, stack env restore-file
  stack settings set maintenance.mode=true <- maintenance on, maintenance start, maintenance enable, enable maintenance, maintenance true, stack maintenance on, stack suspend
  stack settings set maintenance.mode=false <- maintenance off, maintenance stop, maintenance end, maintenance disable, disable maintenance, maintenance false, stack maintenance off, stack resume
  stack settings get maintenance.mode <- maintenance, maintenance status, stack maintenance
  process list <- top, compose ps, is-active, stats, server top, server stats, stack ps, server ps
  process scale worker <- scale worker
  process scale <- scale, ps scale, dyno scale, stack scale, autoscale
  server reboot <- reboot, power-cycle, server reset, server power-cycle
  server ssh <- ssh, stack ssh, compute ssh, server exec, server shell, server console, server connect, server login, server attach, server sh, server bash
  server cp <- cp, scp, sftp, server upload, server download, server copy, server scp, server put, server push, server pull
  server run <- server execute, server cmd, server command, ssh-all
  server ssh-config <- gateway ssh, ssh-config, server config
  variant commit <- canary promote, canary commit, variant promote, rollout commit, rollout complete, variant finalize, rollout promote
  variant commit canary <- canary commit, canary promote, canary finish, variant commit, variant promote
  variant weight canary VALUE <- weight, traffic, rollout weight, variant traffic, traffic split, traffic set, traffic shift, variant split, variant shift, canary, canary weight, canary set, canary traffic, canary scale, canary split, canary to, variant weight, weight set, variant canary
  variant weight canary 0 <- canary abort, canary stop, canary off, canary rollback, canary cancel, canary disable, canary down, canary delete, canary remove, canary rm, variant abort, variant stop, variant rollback, variant off, variant cancel, variant disable, variant revert
  variant weight <- weight, traffic, rollout weight, variant traffic, traffic split, traffic set, variant split, variant set, variant set-weight, variant shift, variant update, canary weight, canary set
  variant ramp --pause <- pause, ramp pause, ramp hold, rollout pause, canary pause, variant pause, ramp stop, variant ramp pause
  variant ramp --resume <- resume, ramp resume, ramp continue, rollout resume, canary resume, variant resume, unpause, variant ramp resume
  variant ramp --abort <- ramp abort, ramp cancel, ramp rollback, ramp back, ramp revert, variant ramp abort
  variant ramp --status <- ramp, ramp status, ramp list, ramp show, canary status, ramp get, ramp info, canary ramp, canary progress
  tags add <- label, tags new, server tag, server label
  tags list <- tag
  activity <- events, audit, audit-log, timeline, news, feed, stack events, stack activity, get events
  status <- get, show, get all, all, ps aux, summary, report, redeploy status, deploy status, backup status-all, health, info, describe, st, checks, stack status, rollout status, deployment health, overview, dashboard, cluster-info
  status --watch <- watch, monitor, stack watch
  open <- browse, web, visit, url, stack open, stack browse, open dashboard, dashboard open, open stack
  history list <- changes, journal, history last, history all
  history undo <- undo, history revert, history rollback, history back, history undo last
  db user regenerate-password <- rotate, rotate-password, pg credentials rotate, db password, db user password, db user reset-password, db user passwd, db user set-password, db reset-password
  db user list <- db credentials, db roles, db grants
  db list <- db size, db info, db status, db ls, db show-all
  gateway update --ttl 8h <- gateway open, gateway unlock, gateway enable, gateway start, gateway extend, gateway allow
  gateway update --ttl 0 <- gateway close, gateway lock, gateway disable, gateway stop, gateway revoke
  sandbox reset <- sandbox stop, sandbox delete, sandbox clear, sandbox clean
  sandbox start <- sandbox serve, sandbox up, sandbox init
  user list <- user search, user find
  reference clouds <- reference regions, reference sizes, reference list, reference locations
  config path <- config edit, config where, config file, config location
  commands <- api-resources, explain, man, manual, tutorial, docs
  cluster get <- cluster nodes, cluster status, cluster describe
  profile set -p VALUE <- profile create, profile add, profile new, profile init
  stack env list --where key~VALUE <- stack env search, stack env find, stack env grep, stack env filter, stack env match, search, find, grep
  stack env rollback <- stack env undo, stack env revert, stack env restore
  action list <- action running, action history
  api <- curl, request, graphql, http, api request, rest
  profile list <- config get-contexts, config contexts, context list
  profile use <- config use-context, config set-context
  profile show <- config current-context, profile current, profile active, profile info, profile status
  profile set VALUE= <- profile unset, profile clear
  profile set account=VALUE <- account switch, account use, account select, account default
  doctor <- diagnose, troubleshoot, healthcheck, ping, check, self-test, debug
  completion VALUE <- complete, completions, autocomplete
  completion install <- autocomplete, completions, complete
  backup download <- backup export, backup pull, db dump, db export
  backup list <- db backups, backup status, backup history
  backup get latest <- backup latest, backup last, backup newest
  backup check <- backup verify, backup validate, backup health
  backup create <- db backup, backup capture, backup run, backup now, backup start, backup take
`);

/** Finds instructions (left) for words that name no command here (right). An instruction may end with a command. */
const sentencesFor = dictionary(`
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

/** Finds our verbs (left) for verbs of other tools (right). The first verb that makes a complete command is used. */
const verbsFor = dictionary(`
  list <- ls, all, index, ps
  get, show, status, list <- show, describe, info, get, view, inspect, cat, status
  create, add, set, register <- new, add, create, start, put
  delete, unset, remove, clear, cancel, logout <- rm, del, remove, delete, destroy, drop, purge, terminate
  update, edit, set, patch, weight <- edit, update, modify
  set, use, update, patch, weight <- set
  copy, create <- clone
  update <- rename
  use <- use, select, switch, use-context
  weight <- scale, traffic
  reboot <- restart
  cancel <- stop, abort
  wait <- watch, follow
  commit <- promote
  diff <- compare
  rollback <- undo, revert, restore
  check <- validate, verify, lint
  regenerate-password, user regenerate-password <- rotate, rotate-password, reset-password
  user list <- credentials
`);

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
  const first = (count: number) => typed.slice(0, count).join(' ');
  for (const count of typed.length === 1 ? [1] : [3, 2]) {
    const hint = typed.length >= count ? await hintFor(first(count), count) : undefined;
    if (hint) return hint;
  }
  const request = findResource(typed, ourWords.names);
  if (!request) return hintFor(first(1), 1);
  const { resource, verb = '', count, isOurs } = request;
  // A common verb fits many resources, so a sentence for it would be about another resource.
  const isCommonVerb = suggestVerbs(verb).length > 1;
  const hint =
    (await hintFor(`${resource} ${verb}`, count)) ??
    (await suggestVerb(request, typed.length === count, { ...ourWords, ...input })) ??
    (isCommonVerb ? undefined : (sentencesFor(verb)[0] ?? (isOurs ? undefined : await hintFor(first(1), 1))));
  return hint ?? (isOurs ? undefined : { path: resource, flags: ['--help'] });
}

type TypedWords = ReturnType<typeof readWords>;

/**
 * Returns the plain words of a line, whether it has flags of one command, and a function that replaces the first words.
 * `config:set` is two words.
 */
function readWords(argv: readonly string[]) {
  const [first = -1] = plainWordPositions(argv);
  // `config:set` of other tools sets variables, not settings.
  const parts = (argv[first] ?? '').replace(/^config:/, 'config-vars:').split(':');
  const line = parts.every((part) => /^[a-z][a-z-]*$/.test(part)) ? argv.toSpliced(first, 1, ...parts) : argv;
  const positions = plainWordPositions(line);
  const typed = positions.map((at) => line[at] ?? '');
  const known = globalOptions.map(({ long }) => long);
  const flags = wordsBeforeDashes(line).filter((word) => word.startsWith('--'));
  const hasFlags = flags.some((flag) => !known.includes(flag.replace(/=.*$/s, '')));
  const replaceFirst = (count: number, newWords: readonly string[]) => {
    const takesValue = newWords.some((word) => word.includes('VALUE'));
    const filledWords = newWords.map((word) => word.replace('VALUE', () => typed[count] ?? ''));
    const replaced = positions.slice(0, takesValue ? count + 1 : count);
    return line.flatMap((word, at) => {
      if (at === positions[0]) return filledWords;
      return replaced.includes(at) ? [] : [word];
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
  const ourCommands = commandsFor(words);
  for (const ourCommand of ourCommands) {
    if (ourCommand.includes('VALUE') && typed[count] === undefined) continue;
    // `--status` takes no other flags.
    const newWords = hasFlags ? ourCommand.replace(' --status', '') : ourCommand;
    const command = await suggestCommand(replaceFirst(count, newWords.split(' ')), read);
    if (command) return command;
  }
  const path = ourCommands.find((ourCommand) => !ourCommand.includes('VALUE'))?.replace(/ -.*$/, '');
  return sentencesFor(words)[0] ?? (path && { path, flags: ['--help'] });
}

/** Finds a resource and a verb in either order. `isOurs` is true if the resource came first, in our spelling. */
function findResource(typed: readonly string[], names: OurWords['names']) {
  for (const from of [0, 1]) {
    for (const words of [3, 2, 1].map((count) => typed.slice(from, from + count))) {
      const text = words.join(' ');
      const resource = resourceFor(text, names);
      if (resource === undefined) continue;
      const verb = from === 0 ? typed[words.length] : typed[0];
      const count = words.length + (verb === undefined ? 0 : 1);
      return { resource, verb, count, isPlural: text.endsWith('s'), isOurs: from === 0 && names.has(text) };
    }
  }
  return undefined;
}

async function suggestVerb(
  { resource, verb, count, isPlural }: NonNullable<ReturnType<typeof findResource>>,
  isAlone: boolean,
  { loadTree, read, replaceFirst }: OurWords & TypedWords,
): Promise<Hint | undefined> {
  const [name = ''] = resource.split(' ');
  const tree = await loadTree(name);
  const verbs = verb === undefined ? ['list'] : suggestVerbs(verb);
  const listFirst = isAlone && isPlural && verbs.includes('list') ? ['list', ...verbs] : verbs;
  const lines = [...listFirst, ...(verbs.includes('list') ? [''] : [])]
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
  return names.get(forms.find((form) => names.has(form)) ?? '') ?? resourcesFor(typed)[0];
}

function suggestVerbs(verb: string): readonly string[] {
  return [verb, ...verbsFor(verb).flatMap((verbs) => verbs.split(', '))];
}
