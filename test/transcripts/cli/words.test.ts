import { expect, test } from 'vitest';
import { faultOf } from '../../support/printed-commands.ts';
import { run } from '../../support/stackops.ts';

/** What operators type who know gh, heroku, fly, kubectl, hcloud, doctl, docker compose or systemctl, and the hint for it. */
const lines = `
  env:set A=1 -s shop -> stackops stack env set A -s shop --stdin
  env:set TOKEN=s3cret -> stackops stack env set TOKEN --stdin
  env:unset A -s shop -> stackops stack env unset A -s shop
  env:get A -s shop -> stackops stack env get A -s shop
  env:list -> stackops stack env list
  env ls -> stackops stack env list
  env show A -s shop -> stackops stack env get A -s shop
  env add A=1 -s shop -> stackops stack env set A -s shop --stdin
  env delete A -> stackops stack env unset A
  env pull -> stackops stack env export
  env push .env -> stackops stack env import .env
  env print -s shop -> stackops stack env export -s shop
  secrets -> stackops stack env list
  secrets list -s shop -> stackops stack env list -s shop
  secrets set TOKEN=s3cret -s shop -> stackops stack env set TOKEN -s shop --stdin
  secrets unset TOKEN -s shop -> stackops stack env unset TOKEN -s shop
  secret list -> stackops stack env list
  secret set TOKEN -> stackops stack env set TOKEN
  secrets import .env -s shop -> stackops stack env import .env -s shop
  vars -> stackops stack env list
  variables -> stackops stack env list
  config:set A=1 -> stackops stack env set A --stdin
  config:get A -s shop -> stackops stack env get A -s shop
  config:unset A -s shop -> stackops stack env unset A -s shop
  config:edit -s shop -> stackops stack env edit -s shop
  config set A=1 -> stackops stack env set A --stdin
  config get LOG_LEVEL -> stackops stack env get LOG_LEVEL
  config unset LOG_LEVEL -> stackops stack env unset LOG_LEVEL
  set A=1 -s shop -> stackops stack env set A -s shop --stdin
  unset A -s shop -> stackops stack env unset A -s shop
  set env A=1 -s shop -> stackops stack env set A -s shop --stdin
  unset env A -s shop -> stackops stack env unset A -s shop
  delete env A -s shop -> stackops stack env unset A -s shop
  get env A -s shop -> stackops stack env get A -s shop
  edit env -s shop -> stackops stack env edit -s shop
  get secrets -> stackops stack env list
  get configmaps -> stackops stack env list
  stacks -> stackops stack list
  get stacks -> stackops stack list
  list stacks -> stackops stack list
  ls stacks -> stackops stack list
  get stack shop -> stackops stack get shop
  describe stack shop -> stackops stack get shop
  apps -> stackops stack list
  apps list -> stackops stack list
  apps:list -> stackops stack list
  apps:info shop -> stackops stack get shop
  apps info shop -> stackops stack get shop
  app show shop -> stackops stack get shop
  projects list -> stackops stack list
  get namespaces -> stackops stack list
  use shop -> stackops stack use shop
  use stack shop -> stackops stack use shop
  set stack shop -> stackops stack use shop
  switch shop -> stackops stack use shop
  get servers -s shop -> stackops server list -s shop
  list servers -> stackops server list
  describe server shop-web-1 -s shop -> stackops server get shop-web-1 -s shop
  describe node shop-web-1 -> stackops server get shop-web-1
  get server shop-web-1 -s shop -> stackops server get shop-web-1 -s shop
  servers -> stackops server list
  server ls -> stackops server list
  servers list -> stackops server list
  server show shop-web-1 -> stackops server get shop-web-1
  server describe shop-web-1 -> stackops server get shop-web-1
  server info shop-web-1 -> stackops server get shop-web-1
  reboot server shop-web-1 -s shop -> stackops server reboot shop-web-1 -s shop
  server restart shop-web-1 -> stackops server reboot shop-web-1
  server reset shop-web-1 -s shop -> stackops server reboot shop-web-1 -s shop
  ssh -> stackops server ssh --help
  ssh shop-web-1 -> stackops server ssh shop-web-1
  ssh shop-web-1 -s shop -> stackops server ssh shop-web-1 -s shop
  cp file web:/tmp -> stackops server cp file web:/tmp
  ssh-config -s shop -> stackops server ssh-config -s shop
  droplets -> stackops server list
  compute droplet list -> stackops server list
  machines list -> stackops server list
  machine list -> stackops server list
  machine restart shop-web-1 -> stackops server reboot shop-web-1
  instances -> stackops server list
  nodes -> stackops server list
  get nodes -> stackops server list
  deploy -> stackops redeploy
  deploy -s shop -> stackops redeploy -s shop
  deploy --branch main -s shop -> stackops redeploy --help
  deploy --wait -> stackops redeploy -w
  up -> stackops redeploy
  start -> stackops redeploy
  push -> stackops redeploy
  releases -> stackops deployment list
  releases list -s shop -> stackops deployment list -s shop
  releases:info 300 -> stackops deployment get 300
  releases:rollback -> stackops deployment rollback
  release list -> stackops deployment list
  rollback -> stackops deployment rollback
  rollback 300 -s shop -> stackops deployment rollback 300 -s shop
  rollout undo -> stackops deployment rollback
  rollout undo -s shop -> stackops deployment rollback -s shop
  rollout status -> stackops status
  rollout history -> stackops deployment list
  rollout restart -> stackops restart
  rollout restart deployment/web -> stackops restart --help
  get deployments -s shop -> stackops deployment list -s shop
  get deployment 300 -s shop -> stackops deployment get 300 -s shop
  list deployments -> stackops deployment list
  describe deployment 300 -> stackops deployment get 300
  deployments -> stackops deployment list
  deployment ls -> stackops deployment list
  deployment show 300 -> stackops deployment get 300
  deployment start -s shop -> stackops deployment create -s shop
  deployment stop 300 -> stackops deployment cancel 300
  deployment abort 300 -> stackops deployment cancel 300
  deployment watch 300 -> stackops deployment wait 300
  deployment status 300 -> stackops deployment get 300
  deployment restart -> stackops restart
  cancel -> stackops deployment cancel --help
  cancel deployment 300 -s shop -> stackops deployment cancel 300 -s shop
  cancel 300 -s shop -> stackops deployment cancel 300 -s shop
  builds -> stackops deployment list
  builds list -> stackops deployment list
  run list -> stackops deployment list
  undo -> stackops history undo
  undo 3 -> stackops history undo 3
  audit -> stackops activity
  audit-log -> stackops activity
  events -> stackops activity
  get events -> stackops activity
  activities -> stackops activity
  timeline -> stackops activity
  maintenance on -> stackops stack settings set maintenance.mode=true
  maintenance:on -> stackops stack settings set maintenance.mode=true
  maintenance off -s shop -> stackops stack settings set maintenance.mode=false -s shop
  maintenance:off -> stackops stack settings set maintenance.mode=false
  maintenance -> stackops stack settings get maintenance.mode
  maintenance status -> stackops stack settings get maintenance.mode
  ps -> stackops process list
  ps -s shop -> stackops process list -s shop
  ps:scale web=3 -s shop -> stackops process scale web=3 -s shop
  ps:restart -> stackops restart
  scale web=3 -> stackops process scale web=3
  scale worker=2 -s shop -> stackops process scale worker=2 -s shop
  get pods -> stackops process list
  describe pod web -s shop -> stackops process get web -s shop
  pods -> stackops process list
  containers -> stackops process list
  dynos -> stackops process list
  top -> stackops process list
  reload -> stackops restart
  services -> stackops process list
  service list -> stackops process list
  health -> stackops status
  checks -> stackops status
  info -> stackops status
  pg -> stackops db list
  pg:info -> stackops db list
  pg:backups -> stackops backup list
  pg:backups -s shop -> stackops backup list -s shop
  pg:backups:download -> stackops backup download
  pg:backups capture -> stackops backup create
  pg:credentials -> stackops db user list
  databases -> stackops db list
  databases list -> stackops db list
  database list -> stackops db list
  create database app -g main -> stackops db create app -g main
  create db app -> stackops db create app
  delete db app -> stackops db delete app
  db rm app -> stackops db delete app
  db add app -> stackops db create app
  db show app -> stackops db list --help
  db dump -> stackops backup download
  db backup -> stackops backup create
  db backups -> stackops backup list
  db users -> stackops db user list
  db users list -> stackops db user list
  list db users -> stackops db user list
  create db user app -> stackops db user create app
  delete db user app -> stackops db user delete app
  db rotate-password app -> stackops db user regenerate-password app
  db user rotate app -> stackops db user regenerate-password app
  backups -> stackops backup list
  backups list -> stackops backup list
  get backups -> stackops backup list
  backup ls -> stackops backup list
  backup show 5 -> stackops backup get 5
  backup restore 5 -> stackops backup import --help
  backup run -> stackops backup create
  create backup -s shop -> stackops backup create -s shop
  snapshots -> stackops backup list
  gateways -> stackops gateway list
  get gateways -> stackops gateway list
  gateway show bastion-1 -> stackops gateway list --help
  gateway rm bastion-1 -> stackops gateway delete bastion-1
  delete gateway bastion-1 -> stackops gateway delete bastion-1
  bastion list -> stackops gateway list
  firewall list -> stackops gateway list
  clusters -> stackops cluster list
  get clusters -> stackops cluster list
  describe cluster staging-eu -> stackops cluster get staging-eu
  k8s -> stackops cluster list
  users -> stackops user list
  get users -> stackops user list
  user show 4 -> stackops user get 4
  describe user 4 -> stackops user get 4
  members -> stackops user list
  team list -> stackops user list
  access -> stackops user list
  orgs -> stackops account list
  organizations list -> stackops account list
  account ls -> stackops account list
  account show 3 -> stackops account get 3
  accounts -> stackops account list
  actions -> stackops action list
  action show 812 -s shop -> stackops action get 812 -s shop
  get actions -> stackops action list
  jobs -> stackops action list
  tasks -> stackops action list
  wait -> stackops deployment wait
  wait 300 -> stackops deployment wait 300
  watch -> stackops status --watch
  monitor -> stackops status --watch
  browse -> stackops open
  web -> stackops open
  login -> stackops auth login
  auth:login -> stackops auth login
  auth:whoami -> stackops auth status
  auth list -> stackops auth status
  logout -> stackops auth logout
  whoami -> stackops auth status
  token -> stackops auth token
  auth print-token -> stackops auth token
  profiles -> stackops profile list
  profiles list -> stackops profile list
  profile ls -> stackops profile list
  contexts -> stackops profile list
  config get-contexts -> stackops profile list
  config use-context prod -> stackops profile use prod
  context use prod -> stackops profile use prod
  get contexts -> stackops profile list
  config view -> stackops config list
  config ls -> stackops config list
  tag -> stackops tags list --help
  get tags server/shop-web-1 -> stackops tags list server/shop-web-1
  tags ls server/shop-web-1 -> stackops tags list server/shop-web-1
  tags rm server/shop-web-1 eu -> stackops tags remove server/shop-web-1 eu
  tags create server/shop-web-1 eu -> stackops tags add server/shop-web-1 eu
  variants -> stackops variant list
  canary -> stackops variant list
  canaries -> stackops variant list
  canary promote va-canary -> stackops variant commit va-canary
  promote --from blog/staging -s blog/production -> stackops deployment promote --from blog/staging -s blog/production
  promote -> stackops deployment promote --help
  pipelines:promote -> stackops deployment promote --help
  stack promote --from blog/staging -> stackops deployment promote --from blog/staging
  promote variant va-canary -> stackops variant commit va-canary
  variant promote va-canary -> stackops variant commit va-canary
  variant scale va-canary 20 -> stackops variant weight va-canary 20
  variant traffic va-canary 20 -> stackops variant weight va-canary 20
  preview list -> stackops variant list
  regions -> stackops reference clouds
  regions list -> stackops reference clouds
  sizes -> stackops reference clouds
  get regions -> stackops reference clouds
  version -> stackops --version
  completions -> stackops completion install
  autocomplete -> stackops completion install
  diagnose -> stackops doctor
  curl /stacks -> stackops api /stacks
  settings -> stackops stack settings list
  settings list -> stackops stack settings list
  setting set maintenance.mode=true -s shop -> stackops stack settings set maintenance.mode=true -s shop
  features -> stackops stack settings list
  images -> stackops reference clouds
  history ls -> stackops history list
  journal -> stackops history list
  ls -> stackops stack list
  list -> stackops stack list
  api-resources -> stackops commands
  cluster-info -> stackops status
  config current-context -> stackops profile show
  stack deploy -> stackops redeploy
  stack restart -s shop -> stackops restart -s shop
  env validate .env -s shop -> stackops stack env check .env -s shop
  secrets verify .env -> stackops stack env check .env
  env restore LOG_LEVEL -s shop -> stackops stack env rollback LOG_LEVEL -s shop
  env compare -> stackops stack env diff
  rotate analytics -> stackops db user regenerate-password analytics
  printenv -s shop -> stackops stack env export -s shop
  action watch 812 -> stackops action wait 812
  list db -> stackops db list
  show db -> stackops db list
  get process web -s shop -> stackops process get web -s shop
  run view -> stackops deployment get --help
  show stacks -> stackops stack list
  clone env -> stackops stack env copy --help
  variant rename va-canary -> stackops variant --help
  get environment variables -> stackops stack env list
  pods list -> stackops process list
`;

/** What there is no command for. */
const sentences: Readonly<Record<string, string>> = {
  'the service has no logs to show; server run -- tail reads them on the servers, and what happened is in: stackops activity':
    'logs | logs -s shop | logs --tail 100 | logs:tail | tail web | server logs shop-web-1 -s shop | deployment logs 5 | journalctl -u web | drain | server logs | process logs web | stack logs',
  'stacks and servers are not created, renamed or deleted here; those that exist are in: stackops status':
    'apps:create shop | apps:destroy shop | create app | init | launch | new | destroy | delete | delete stack shop | rename stack shop | clone | server create | server delete shop-web-1 | server resize | cordon node-1 | create | apply | cluster delete staging-eu | stack create',
  'nothing is stopped or started here; process scale NAME=0 ends a process, and maintenance mode is: stackops stack settings set maintenance.mode=true':
    'server stop shop-web-1 | server start shop-web-1 | rollout pause | ps:stop web | delete pod web | stop | stop web | start web | down | kill web | enable web | disable web',
  'a shell on a server is server ssh, and a command there: stackops server ssh SERVER -- COMMAND':
    'exec | exec web sh | exec -it web -- sh | console | shell | bash | pg:psql | db connect | db shell | port-forward 5432 | attach | psql',
  'server run runs a command on servers; a program on this machine gets the variables of a stack with: stackops stack env run --help':
    'run | run rails console',
  'gateway update sets how long a gateway is open: --ttl 8h opens it, --ttl 0 closes it': 'gateway open bastion-1',
  'there is no command for domains, certificates or cron jobs; what can be set is in: stackops stack settings list':
    'domains | domains:add shop.example | certs | certs list | ssl | cron',
  'the service has no metrics or alerts; what is live, in progress and wrong is in: stackops status':
    'metrics | alerts',
  '--wait --notify tells when a wait is over; for every long wait of a profile: stackops profile set notify=desktop':
    'notify | notifications | webhooks',
  'a profile can ask a program of yours to approve every change, or you to type a name: stackops help confirmation':
    'approve | approvals list | protected',
  '--read-only refuses every change; for a whole profile: stackops profile set readonly=true': 'read-only | readonly',
  'there is no command for SSH keys; a gateway takes its key with: stackops gateway update --help':
    'ssh-key list | ssh-keys',
  'there is no command for add-ons, volumes, networks, prices or plugins; the commands that exist are in: stackops commands':
    'addons | volumes | volumes list | ips list | network ls | billing | invoices | plugins | alias',
  'the package manager that installed this tool updates it; the version is: stackops --version': 'update | upgrade',
};

const answers = [
  ...lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' -> ')),
  ...Object.entries(sentences).flatMap(([hint, typed]) => typed.split(' | ').map((words) => [words, hint])),
].map(([typed = '', hint = '']) => ({ typed, hint }));

test.each(answers)('$typed is answered with $hint', async ({ typed, hint }) => {
  const { code, stdout, stderr } = await run(typed.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n').slice(1)).toEqual([`hint: ${hint}`, '']);
  expect(stderr).not.toContain('s3cret');
});

test('hardly any is only sent to a page of help, and none stands here twice', () => {
  expect(new Set(answers.map(({ typed }) => typed)).size).toBe(answers.length);
  expect(answers.length).toBeGreaterThan(300);
  expect(answers.filter(({ hint }) => hint.endsWith('--help')).length).toBeLessThanOrEqual(20);
});

test.each(Object.keys(sentences))('the command in a sentence works: %s', async (sentence) => {
  const [, command] = /: (stackops .*)$/.exec(sentence) ?? [];
  expect(command && (await faultOf(command, []))).toBeUndefined();
});

test.each(['env TOKEN=s3cret', 'TOKEN=s3cret', 'stack TOKEN=s3cret list'])(
  'a value in the place of a command is not repeated: %s',
  async (typed) => {
    const { code, stderr } = await run(typed.split(' '));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: unknown command "TOKEN=…"\nhint: /);
  },
);
