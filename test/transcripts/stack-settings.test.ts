import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('settings are listed in the order of the service', () =>
  transcript(`
    80$ stackops stack settings list -s shop
    KEY                          VALUE                           READ-ONLY  UPDATED
    stack.name                   shop                            yes        105d ago
    git.repository               git@git.example:harbour/shop.…  no         105d ago
    git.branch                   main                            no         105d ago
    continuous.deploy            false                           no         105d ago
    run.deploy.command           true                            no         105d ago
    custom.build.command         -                               no         105d ago
    custom.deploy.command        -                               no         105d ago
    asset.prefix                 -                               no         105d ago
    maintenance.mode             false                           no         105d ago
    reconfigure.nginx            false                           no         105d ago
    allowed.web.source           0.0.0.0/0                       no         105d ago
    db.check.backup.size         10                              no         105d ago
    logrotate.app.frequency      daily                           no         105d ago
    logrotate.app.keep.count     7                               no         105d ago
    logrotate.server.frequency   weekly                          no         105d ago
    logrotate.server.keep.count  4                               no         105d ago
    $ stackops stack settings list -s shop --sort -key --limit 2
    stack.name⇥shop⇥yes⇥2026-01-19T11:42:00Z
    run.deploy.command⇥true⇥no⇥2026-01-19T11:42:00Z
    $ stackops stack settings list -s shop --json --limit 1
    [{"id":1201,"key":"stack.name","value":"shop","readonly":true,"created_at":"2024-02-06T08:15:00Z","updated_at":"2026-01-19T11:42:00Z"}]
    $ stackops stack settings list -s blog/production --columns key,value --limit 3
    stack.name⇥blog
    git.repository⇥git@git.example:harbour/blog.git
    git.branch⇥main
  `));

test('one value is printed bare', () =>
  transcript(`
    $ stackops stack settings get git.branch -s shop
    main
    $ stackops stack settings get continuous.deploy -s shop
    false
    $ stackops stack settings get db.check.backup.size -s shop
    10
    $ stackops stack settings get asset.prefix -s shop
    null
    $ stackops stack settings get git.branch -s shop --json --fields id,value
    {"id":1203,"value":"main"}
    $ stackops stack settings get git.brnch -s shop
    ! error: setting "git.brnch" not found; did you mean "git.branch"?
    ! hint: stackops stack settings list -s shop
    = 3
    $ stackops stack settings get zzz -s shop
    ! error: setting "zzz" not found
    ! hint: stackops stack settings list -s shop
    = 3
    $ stackops stack settings get -s shop
    ! error: missing argument <KEY>
    ! hint: stackops stack settings get --help
    = 2
  `));

test('set says what was and what will be', () =>
  transcript(`
    $ stackops stack settings set git.branch=release maintenance.mode=true custom.build.command='make all' -s shop -y --json --fields key,change,before,after
    [{"key":"git.branch","change":"queued","before":"main","after":"release"},{"key":"maintenance.mode","change":"queued","before":false,"after":"true"},{"key":"custom.build.command","change":"queued","before":null,"after":"make all"}]
    +5s
    $ stackops stack settings get git.branch -s shop
    release
    $ stackops stack settings get custom.build.command -s shop
    make all
    $ stackops stack settings set custom.build.command= maintenance.mode=true -s shop
    ! undo: stackops action wait 815 -s shop && stackops stack settings set 'custom.build.command=make all' -s shop
    updating custom.build.command (action 815, queued): make all -> ""
    maintenance.mode unchanged (true)
    $ stackops stack settings set custom.deploy.command='bin/it && stackops x' -s shop --sandbox
    updating custom.deploy.command (action 816, queued): - -> bin/it && stackops x; no undo
    $ stackops stack settings set git.branch=main git.repository=git@git.example:harbour/other.git -s shop --json --fields key,change,before,after
    [{"key":"git.branch","change":"queued","before":"release","after":"main"},{"key":"git.repository","change":"queued","before":"git@git.example:harbour/shop.git","after":"git@git.example:harbour/other.git"}]
    +5s
    $ stackops stack settings set git.branch=main -s shop -q
    $ stackops stack settings set git.branch=release maintenance.mode=true -s shop --json
    [{"key":"git.branch","change":"queued","before":"main","after":"release","action":{"id":819,"user":"ada@harbour.example","resource_type":"stack","action":"stack-set: git.branch","resource_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","started_via":"api","started_at":"2026-05-04T12:00:10Z","finished_at":null,"finished_success":null,"finished_message":null},"message":null,"error":null},{"key":"maintenance.mode","change":"unchanged","before":true,"after":true,"action":null,"message":null,"error":null}]
  `));

test('maintenance mode needs a confirmation when it would be turned on', () =>
  transcript(`
    80$ stackops stack settings set git.branch=release maintenance.mode=true -s shop
    < n
    ! Turn on maintenance mode for shop/production (now false)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops stack settings set maintenance.mode=true -s shop
    ! error: "stack settings set" needs -y (no terminal); nothing was changed
    ! hint: stackops stack settings set maintenance.mode=true -s shop -y
    = 2
    $ stackops stack settings set maintenance.mode=true stack.name=other -s shop
    ! error: stack.name is read-only; nothing was changed
    = 6
    80$ stackops stack settings set maintenance.mode=true -s shop
    < y
    ! Turn on maintenance mode for shop/production (now false)? [y/N]
    ! undo: stackops action wait 812 -s shop && stackops stack settings set maintenance.mode=false -s shop
    updating maintenance.mode (action 812, queued): false -> true
    +5s
    $ stackops stack settings set maintenance.mode=true -s shop
    maintenance.mode unchanged (true)
    $ stackops stack settings set maintenance.mode=false -s shop
    ! undo: stackops action wait 813 -s shop && stackops stack settings set maintenance.mode=true -s shop
    updating maintenance.mode (action 813, queued): true -> false
  `));

test('nothing is changed unless everything can be', () =>
  transcript(`
    $ stackops stack settings set git.branch=x stack.name=other -s shop
    ! error: stack.name is read-only; nothing was changed
    = 6
    $ stackops stack settings set git.branch=x nope=1 -s shop
    ! error: setting "nope" not found
    ! hint: stackops stack settings list -s shop
    = 3
    $ stackops stack settings set git.branch=x continuous.deploy -s shop
    ! error: "continuous.deploy" has no "=": write continuous.deploy=VALUE
    = 2
    $ stackops stack settings set git.branch -s shop
    ! error: "git.branch" has no "=": write git.branch=VALUE
    = 2
    $ stackops stack settings set =x -s shop
    ! error: "=x" has no setting name: write KEY=x
    = 2
    $ stackops stack settings set git.branch=a git.branch=b -s shop
    ! error: git.branch is given twice with different values
    = 2
    $ stackops stack settings set -s shop
    ! error: missing argument <KEY=VALUE...>
    ! hint: stackops stack settings set --help
    = 2
    $ stackops stack settings get git.branch -s shop
    main
    $ stackops stack settings set stack.name=shop -s shop
    stack.name unchanged (shop)
    $ stackops stack settings set maintenance.mode=perhaps -s shop
    ! error: the service refused the request (400): setting "maintenance.mode" takes true or false; got "***"
    = 6
  `));

test('--dry-run reads the list and sends nothing', () =>
  transcript(`
    $ stackops stack settings set git.branch=a continuous.deploy=true stack.name=shop -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/settings/1203
    Content-Type: application/json

    {"value":"a"}

    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/settings/1204
    Content-Type: application/json

    {"value":"true"}
    $ stackops stack settings set git.branch=main -s shop --dry-run
    git.branch unchanged (main)
  `));

test('with --wait it says that it is done', () =>
  transcript(`
    $ stackops stack settings set git.branch=release maintenance.mode=false -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Setting git.branch changed.
    ! undo: stackops stack settings set git.branch=main -s shop
    git.branch updated (main -> release)
    maintenance.mode unchanged (false)
    $ stackops stack settings set asset.prefix=cdn -s shop --wait
    ! 12:00:05 action 813: started
    ! 12:00:10 action 813: succeeded: Setting asset.prefix changed.
    asset.prefix updated (- -> cdn; no undo)
    $ stackops stack settings get git.branch -s shop
    release
    $ stackops stack settings set git.branch=main maintenance.mode=false -s shop --wait --json
    [{"key":"git.branch","change":"updated","before":"release","after":"main","action":{"id":814,"user":"ada@harbour.example","resource_type":"stack","action":"stack-set: git.branch","resource_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","started_via":"api","started_at":"2026-05-04T12:00:10Z","finished_at":"2026-05-04T12:00:13Z","finished_success":true,"finished_message":"Setting git.branch changed."},"message":"Setting git.branch changed.","error":null},{"key":"maintenance.mode","change":"unchanged","before":false,"after":false,"action":null,"message":null,"error":null}]
    $ stackops stack settings set git.branch=release -s shop --wait --wait-timeout 1s
    ! 12:00:15 action 815: started
    ! undo: stackops action wait 815 -s shop && stackops stack settings set git.branch=main -s shop
    ! error: action 815 has not finished after 1s (started); it continues
    ! hint: stackops action wait 815 -s shop
    updating git.branch (action 815, queued): main -> release
    = 8
    $ stackops stack settings set git.branch=release -s shop --wait --wait-timeout 1s --json
    ! {"error":{"code":"pending","message":"action 816 has not finished after 1s (started); it continues","status":null,"hint":"stackops action wait 816 -s shop","exit_code":8,"operation":null,"request_id":null}}
    [{"key":"git.branch","change":"queued","before":"main","after":"release","action":{"id":816,"user":"ada@harbour.example","resource_type":"stack","action":"stack-set: git.branch","resource_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","started_via":"api","started_at":"2026-05-04T12:00:16Z","finished_at":null,"finished_success":null,"finished_message":null},"message":null,"error":{"code":"pending","message":"action 816 has not finished after 1s (started); it continues"}}]
    = 8
  `));
