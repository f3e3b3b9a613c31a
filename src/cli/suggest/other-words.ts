/**
 * Our names, each with the names of other tools, separated by commas. These names are only used for hints, which are
 * better than those from similar spelling. Plurals are found by rule.
 */

/** Nouns; on their own they ask for a list. */
const topLevel = {
  stack: 'app, apps, application, applications, project, projects, site, sites, namespace, namespaces, ns',
  'stack env':
    'envs, environment, environments, variable, variables, var, vars, secret, secrets, configmap, configmaps, config-vars, env-vars, dotenv, environment variable, environment variables, stack envs, stack config, stack variables, stack vars, stack secrets',
  'stack settings': 'setting, settings, features',
  server:
    'machine, machines, node, nodes, no, instance, instances, vm, vms, droplet, droplets, host, hosts, compute, compute droplet, compute droplets, compute instance, compute instances',
  deployment: 'deploys, release, releases, build, builds, revision, revisions, rollout, rollouts, runs',
  variant: 'canary, canaries, preview, previews, review-app, review-apps, reviewapps',
  ['process']:
    'pod, pods, po, dyno, dynos, container, containers, worker, workers, unit, units, list-units, service, services, svc, ps',
  db: 'database, databases, pg, postgres, postgresql, mysql, redis, mongodb',
  'db user': 'db user, db users, database user, database users, pg users',
  gateway: 'bastion, bastions, firewall, firewalls',
  cluster: 'k8s, kubernetes',
  backup: 'snapshot, snapshots, dump, dumps, pg backup, pg backups, database backups',
  user: 'member, members, collaborator, collaborators, access, team, teams',
  account: 'org, orgs, organization, organizations',
  action: 'job, jobs, task, tasks, operation, operations',
  profile: 'context, contexts, remote, remotes',
  tags: 'label, labels',
  'reference clouds':
    'region, regions, size, sizes, location, locations, cloud, clouds, datacenter, datacenters, server-type, server-types, zone, zones, image, images',
};

/** Commands: all words up to the last of theirs stand for ours. */
const commands = {
  'auth login': 'login, signin, auth init, auth signin',
  'auth logout': 'logout, signout',
  'auth status': 'whoami, auth whoami, auth list, auth ls, me, auth show',
  'auth token': 'token, auth print-token',
  '--version': 'version',
  restart:
    'reload, stack restart, stack reload, rollout restart, dyno restart, ps restart, deployment restart, compose restart',
  redeploy:
    'deploy, release, up, push, start, ship, stack deploy, stack redeploy, builds create, rollout start, compose up, deployment retry',
  'deployment promote': 'promote, stack promote, pipelines promote, pipeline, pipelines',
  'deployment rollback': 'rollback, rollout undo, rollout rollback, revert, stack rollback',
  'deployment cancel': 'cancel, rollout cancel, rollout abort',
  'deployment list': 'rollout history, releases history, deployment history, deployment ls, run list',
  'deployment get': 'run view',
  'deployment wait': 'wait, rollout watch, deployment watch, deployment follow',
  'stack env diff': 'diff',
  'stack list': 'ls, list, compose ls',
  'stack use': 'use, link, select, switch, stack link, stack select, stack switch',
  'stack env set': 'set, setenv, config set-env',
  'stack env unset': 'unset, unsetenv',
  'stack env export': 'printenv, stack env print, stack env pull, stack env dump, stack env download',
  'stack env import': 'stack env push, stack env load, stack env upload',
  'stack settings set maintenance.mode=true':
    'maintenance on, maintenance enable, enable maintenance, maintenance true, stack maintenance on, stack suspend',
  'stack settings set maintenance.mode=false':
    'maintenance off, maintenance disable, disable maintenance, maintenance false, stack maintenance off, stack resume',
  'stack settings get maintenance.mode': 'maintenance, maintenance status, stack maintenance',
  'process list': 'top, compose ps, is-active, stats',
  'process scale': 'scale, ps scale, dyno scale, stack scale, autoscale',
  'server reboot': 'reboot, power-cycle, server reset, server power-cycle',
  'server ssh': 'ssh, stack ssh, compute ssh',
  'server cp': 'cp, scp, sftp',
  'server ssh-config': 'gateway ssh, ssh-config',
  'variant commit': 'rollout commit, rollout complete, variant finalize, rollout promote',
  'variant weight': 'weight, traffic, rollout weight, variant traffic',
  tags: 'tag',
  activity: 'events, audit, audit-log, timeline, news, feed, stack events, stack activity, get events',
  status:
    'health, info, describe, st, checks, stack status, rollout status, deployment health, overview, dashboard, cluster-info',
  'status --watch': 'watch, monitor, stack watch',
  open: 'browse, web, visit, url, stack open, stack browse',
  'history list': 'changes, journal',
  'history undo': 'undo',
  'db user regenerate-password': 'rotate, rotate-password, pg credentials rotate',
  api: 'curl, request, graphql',
  commands: 'api-resources, explain',
  'profile list': 'config get-contexts, config contexts, context list',
  'profile use': 'config use-context, config set-context',
  'profile show': 'config current-context',
  doctor: 'diagnose, ping, check, self-test, debug',
  'completion install': 'autocomplete, completions',
  'backup download': 'backup export, backup pull, db dump, db export',
  'backup import': 'restore, db restore, backup restore',
  'backup list': 'db backups',
  'backup create': 'db backup, backup capture, backup schedule, backup run',
};

/** Instructions for words that have no command here. A command comes last, after a colon. */
const sentences = {
  'gateway update sets how long a gateway is open: --ttl 8h opens it, --ttl 0 closes it':
    'gateway open, gateway close, gateway lock, gateway unlock',
  'a new deployment restarts all processes: stackops restart':
    'process restart, process reload, process kill, process reboot',
  'nothing is stopped or started here; process scale NAME=0 ends a process, and maintenance mode is: stackops stack settings set maintenance.mode=true':
    'stop, start, down, kill, pause, unpause, suspend, resume, enable, disable, halt, shutdown, poweroff, power-off, poweron, power-on, hibernate, server stop, server start, process stop, process start, process delete, stack stop, stack start',
  'a shell on a server is server ssh, and a command there: stackops server ssh SERVER -- COMMAND':
    'exec, shell, sh, bash, console, attach, port-forward, proxy, tunnel, connect, psql, redis-cli, vnc, migrate, rake, rails',
  'server run runs a command on servers; a program on this machine gets the variables of a stack with: stackops stack env run --help':
    'run, local, env exec, stack env exec',
  'the service has no logs to show; server run -- tail reads them on the servers, and what happened is in: stackops activity':
    'log, logs, tail, journalctl, drain, drains, trace',
  'the service has no metrics or alerts; what is live, in progress and wrong is in: stackops status':
    'metric, metrics, graph, graphs, alert, alerts, insights, uptime, apm',
  'stacks and servers are not created, renamed or deleted here; those that exist are in: stackops status':
    'create, new, init, launch, clone, fork, rename, destroy, delete, rm, remove, resize, rebuild, provision, prune, cordon, uncordon, stack create, stack new, stack init, stack rename, stack delete, stack destroy, stack clone, server create, server new, server rename, server delete, server destroy, server rm, server remove, cluster delete',
  'there is no command for domains, certificates or cron jobs; what can be set is in: stackops stack settings list':
    'domain, domains, cert, certs, certificate, certificates, ssl, tls, dns, buildpack, buildpacks, cron',
  'there is no command for add-ons, volumes, networks, prices or plugins; the commands that exist are in: stackops commands':
    'addon, addons, add-ons, volume, volumes, disk, disks, network, networks, ip, ips, load-balancer, floating-ip, pvc, vpc, billing, invoice, invoices, balance, cost, costs, pricing, payments, plugin, plugins, extension, extensions, alias, aliases',
  '--wait --notify tells when a wait is over; for every long wait of a profile: stackops profile set notify=desktop':
    'notify, notification, notifications, webhook, webhooks, subscribe',
  'a profile can ask a program of yours to approve every change, or you to type a name: stackops help confirmation':
    'approve, approval, approvals, approver, protect, protected, confirm',
  '--read-only refuses every change; for a whole profile: stackops profile set readonly=true': 'read-only, readonly',
  'there is no command for SSH keys; a gateway takes its key with: stackops gateway update --help':
    'ssh-key, ssh-keys, key, keys',
  'the package manager that installed this tool updates it; the version is: stackops --version':
    'update, upgrade, self-update',
};

/** Flags of other tools, and our flags; the last of our flags takes the value. */
const flags: Readonly<Record<string, readonly string[]>> = {
  '--canary': ['--rollout-strategy', 'canary', '--canary-percentage'],
  '--branch': ['--git-ref'],
  '--commit': ['--git-ref'],
  '--follow': ['--watch'],
  '--interval': ['--every'],
  '--format': ['--output'],
  '-o': ['--output'],
};

/** Verbs; the first of our verbs that forms a complete command is used. */
const verbs = {
  list: 'ls, all, index, ps',
  'get, show, status, list': 'show, describe, info, get, view, inspect, cat, status',
  'create, add, set, register': 'new, add, create, start, put',
  'delete, unset, remove, clear, cancel, logout': 'rm, del, remove, delete, destroy, drop, purge, terminate',
  'update, edit, set, patch, weight': 'edit, update, modify',
  'set, use, update, patch, weight': 'set',
  'copy, create': 'clone',
  update: 'rename',
  use: 'use, select, switch, use-context',
  weight: 'scale, traffic',
  reboot: 'restart',
  cancel: 'stop, abort',
  wait: 'watch, follow',
  commit: 'promote',
  diff: 'compare',
  rollback: 'undo, revert, restore',
  check: 'validate, verify, lint',
  'regenerate-password, user regenerate-password': 'rotate, rotate-password, reset-password',
  'user list': 'credentials',
};

const topLevelOf = oursByTheirs(topLevel);
const commandOf = oursByTheirs(commands);
const sentenceOf = oursByTheirs(sentences);
const verbOf = oursByTheirs(verbs);

function oursByTheirs(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([ours, theirs]) => theirs.split(', ').map((word) => [word, ours])));
}

/** Our noun for one of other tools, or for another number of one of `names`. */
export function expectedTopLevel(typed: string, names: ReadonlyMap<string, string>): string | undefined {
  const forms = [typed, typed.replace(/s$/, ''), typed.replace(/es$/, ''), typed.replace(/ies$/, 'y'), `${typed}s`];
  return names.get(forms.find((form) => names.has(form)) ?? '') ?? topLevelOf.get(typed);
}

/** The answer to these words: our words, a sentence, or both if our words take no further arguments. */
export function answerTo(typed: string) {
  return { ours: commandOf.get(typed)?.split(' '), sentence: sentenceOf.get(typed) };
}

/** Our flags for a flag of another tool; the last one takes its value. */
export function flagsMeant(flag: string): readonly string[] | undefined {
  return Object.hasOwn(flags, flag) ? flags[flag] : undefined;
}

/** Our verbs for this verb; the verb itself comes first. */
export function verbsMeant(verb: string): readonly string[] {
  return [verb, ...(verbOf.get(verb)?.split(', ') ?? [])];
}
