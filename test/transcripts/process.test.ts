import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('processes are listed with their counts', () =>
  transcript(`
    80$ stackops process list -s shop
    NAME       SERVERS                        COMMAND
    web        shop-web-1=2, shop-web-2=2     bundle exec puma -C config/puma.rb
    worker     shop-web-1=1, shop-worker-1=3  bundle exec sidekiq -c 10
    scheduler  shop-worker-1=1                bundle exec clockwork config/clock.rb
    $ stackops process list -s shop
    web⇥shop-web-1=2, shop-web-2=2⇥bundle exec puma -C config/puma.rb
    worker⇥shop-web-1=1, shop-worker-1=3⇥bundle exec sidekiq -c 10
    scheduler⇥shop-worker-1=1⇥bundle exec clockwork config/clock.rb
    $ stackops process list -s shop --server shop-web-1
    web⇥shop-web-1=2⇥bundle exec puma -C config/puma.rb
    worker⇥shop-web-1=1⇥bundle exec sidekiq -c 10
    $ stackops process list -s shop --server d2b8e4fa6c305971b2c3d4e5f6071829 --json --fields name,servers
    [{"name":"web","servers":{"shop-web-2":2}}]
    $ stackops process list -s shop --server shop-web-9
    ! error: server "shop-web-9" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
    $ stackops process list -s shop --server shop-db-1
    ! No processes.
    $ stackops process list -s shop -q
    web
    worker
    scheduler
  `));

test('one process is shown', () =>
  transcript(`
    80$ stackops process get worker -s shop
    Name:     worker
    Servers:  shop-web-1=1, shop-worker-1=3
    Command:  bundle exec sidekiq -c 10
    MD5:      7247bf6e899385aa98a2b93725b20ff3
    $ stackops process get worker -s shop --json --fields servers
    {"servers":{"shop-web-1":1,"shop-worker-1":3}}
    $ stackops process get wrker -s shop
    ! error: process wrker not found in shop/production
    ! hint: stackops process list -s shop
    = 3
  `));

test('a count goes to each server of the process', () =>
  transcript(`
    $ stackops process scale worker=4 -s shop
    ! undo: stackops action wait 812 -s shop && stackops process scale worker=1 --server shop-web-1 -s shop && stackops process scale worker=3 --server shop-worker-1 -s shop
    updating process worker (action 812, queued): 1 -> 4 on shop-web-1, 3 -> 4 on shop-worker-1
    +9s
    $ stackops process list -s shop --columns name,servers
    web⇥shop-web-1=2, shop-web-2=2
    worker⇥shop-web-1=4, shop-worker-1=4
    scheduler⇥shop-worker-1=1
    $ stackops process scale worker=4 -s shop
    process worker unchanged (4 on shop-web-1, 4 on shop-worker-1)
    $ stackops process scale worker=4 web=3 -s shop --json
    [{"name":"worker","change":"unchanged","before":{"shop-web-1":4,"shop-worker-1":4},"after":{"shop-web-1":4,"shop-worker-1":4},"action":null,"message":null,"error":null},{"name":"web","change":"queued","before":{"shop-web-1":2,"shop-web-2":2},"after":{"shop-web-1":3,"shop-web-2":3},"action":{"id":813,"user":"ada@harbour.example","resource_type":"stack","action":"Process_scale","resource_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","started_via":"api","started_at":"2026-05-04T12:00:09Z","finished_at":null,"finished_success":null,"finished_message":null},"message":null,"error":null}]
  `));

test('a difference starts from what runs', () =>
  transcript(`
    $ stackops process scale worker=+2 web=-1 -s shop -y --json --fields name,change,before,after
    [{"name":"worker","change":"queued","before":{"shop-web-1":1,"shop-worker-1":3},"after":{"shop-web-1":3,"shop-worker-1":5}},{"name":"web","change":"queued","before":{"shop-web-1":2,"shop-web-2":2},"after":{"shop-web-1":1,"shop-web-2":1}}]
    +9s
    $ stackops process list -s shop --columns name,servers
    web⇥shop-web-1=1, shop-web-2=1
    worker⇥shop-web-1=3, shop-worker-1=5
    scheduler⇥shop-worker-1=1
    $ stackops process scale worker=-2 --server shop-worker-1 -s shop -q
    +9s
    $ stackops process get worker -s shop --json --fields servers
    {"servers":{"shop-web-1":3,"shop-worker-1":3}}
  `));

test('one server alone is scaled', () =>
  transcript(`
    $ stackops process scale worker=2 --server shop-web-2 -s shop
    ! undo: stackops action wait 812 -s shop && stackops process scale worker=0 --server shop-web-2 -s shop
    updating process worker (action 812, queued): 0 -> 2 on shop-web-2
    +9s
    $ stackops process list -s shop --columns name,servers
    web⇥shop-web-1=2, shop-web-2=2
    worker⇥shop-web-1=1, shop-web-2=2, shop-worker-1=3
    scheduler⇥shop-worker-1=1
    $ stackops process scale worker=2 --server shop-web-9 -s shop
    ! error: server "shop-web-9" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
  `));

test('a decrease on several servers needs a confirmation, one on a single server does not', () =>
  transcript(`
    80$ stackops process scale worker=0 web=+1 -s shop
    < n
    ! Scale process worker (of shop/production, worker 4 -> 0 in all: 1 -> 0 on shop-web-1, 3 -> 0 on shop-worker-1)? The number is per server. [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops process scale worker=-1 -s shop
    ! error: "process scale" needs -y (no terminal); nothing was changed
    ! hint: stackops process scale worker=-1 -s shop -y
    = 2
    $ stackops process scale worker=-2 --server shop-worker-1 -s shop
    ! undo: stackops action wait 812 -s shop && stackops process scale worker=3 --server shop-worker-1 -s shop
    updating process worker (action 812, queued): 3 -> 1 on shop-worker-1
    +9s
    $ stackops process scale scheduler=-9 -s shop -y
    ! undo: stackops action wait 813 -s shop && stackops process scale scheduler=1 -s shop
    updating process scheduler (action 813, queued): 1 -> 0 on shop-worker-1
    +9s
    $ stackops process list -s shop --columns name,servers
    web⇥shop-web-1=2, shop-web-2=2
    worker⇥shop-web-1=1, shop-worker-1=1
    scheduler⇥shop-worker-1=0
    $ stackops process scale scheduler=0 -s shop
    process scheduler unchanged (0 on shop-worker-1)
    $ stackops process scale scheduler=+1 -s shop
    ! undo: stackops action wait 814 -s shop && stackops process scale scheduler=0 -s shop
    updating process scheduler (action 814, queued): 0 -> 1 on shop-worker-1
    +9s
    $ stackops process scale web=0 -s shop -y
    ! undo: stackops action wait 815 -s shop && stackops process scale web=2 -s shop
    updating process web (action 815, queued): 2 -> 0 on shop-web-1, 2 -> 0 on shop-web-2
  `));

test('what cannot be meant is refused', () =>
  transcript(`
    $ stackops process scale worker -s shop
    ! error: give NAME=N, NAME=+N or NAME=-N, not "worker"
    = 2
    $ stackops process scale worker=few -s shop
    ! error: the count in "worker=few" must be a whole number up to 9999
    = 2
    $ stackops process scale worker-1 -s shop
    ! error: give NAME=N, NAME=+N or NAME=-N, not "worker-1"
    = 2
    $ stackops process scale worker=1 worker=+1 -s shop
    ! error: process "worker" is given twice
    = 2
    $ stackops process scale -s shop
    ! error: missing argument <NAME=N...>
    ! hint: stackops process scale --help
    = 2
    $ stackops process scale web=1 wrker=3 -s shop -y
    ! error: process "wrker" not found; did you mean "worker"?
    ! hint: stackops process list -s shop
    = 3
    $ stackops process scale nope=3 -s shop
    ! error: process "nope" not found
    ! hint: stackops process list -s shop
    = 3
  `));

test('fields of the body are a way out', () =>
  transcript(`
    $ stackops process scale worker=5 --field note=a,b --field count=5 --field force=true -s shop --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/processes/worker/scale
    Content-Type: application/json

    {"process_name":"worker","server_count":{"c1a7d3e95b2f4860a1b2c3d4e5f60718":5,"16fc83e0a074d5b5f60718293a4b5c6d":5},"note":"a,b","count":5,"force":true}
    $ stackops process scale worker=3 --server shop-worker-1 --field process_name=worker -s shop
    updating process worker (action 812, queued): 3 -> 3 on shop-worker-1
    $ stackops process scale worker=5 --field process_name=web -s shop
    ! warning: a scale is not finished (action 812): the counts before it are shown
    ! error: the service refused the request (400): process_name "web" does not match the process in the path, "worker"
    = 6
    $ stackops history --columns command
    process scale worker=5 --field process_name=<value> -s shop
    process scale worker=3 --server shop-worker-1 --field process_name=<value> -s shop
    $ stackops process scale worker=5 --field id=web -s shop
    ! error: --field cannot set "id": it is part of the path
    = 2
    $ stackops process scale worker=5 --field force -s shop
    ! error: --field must be NAME=VALUE, not "force"
    = 2
  `));

test('a protected profile asks for its name', () =>
  transcript(`
    $ stackops profile set protected=true -p work
    ! Profile work: protected=true.
    80$ stackops process scale worker=+1 -s shop -p work
    < work
    ! Run "process scale" with the protected profile work (stack shop/production)? Type work to confirm:
    ! undo: stackops action wait 812 -s shop -p work && stackops process scale worker=1 --server shop-web-1 -s shop -p work && stackops process scale worker=3 --server shop-worker-1 -s shop -p work
    updating process worker (action 812, queued): 1 -> 2 on shop-web-1, 3 -> 4 on shop-worker-1
    +9s
    80$ stackops process scale web=1 -s shop -p work -y
    < web
    ! Scale process web (of shop/production, web 4 -> 2 in all: 2 -> 1 on shop-web-1, 2 -> 1 on shop-web-2)? The number is per server. Type web to confirm:
    ! undo: stackops action wait 813 -s shop -p work && stackops process scale web=2 -s shop -p work
    updating process web (action 813, queued): 2 -> 1 on shop-web-1, 2 -> 1 on shop-web-2
  `));

test('counts are no secrets, and a hint repeats them', () =>
  transcript(`
    $ stackops process scale worker=0 -s shop
    ! error: "process scale" needs -y (no terminal); nothing was changed
    ! hint: stackops process scale worker=0 -s shop -y
    = 2
  `));

test('with --wait it says that it is done', () =>
  transcript(`
    $ stackops process scale worker=4 -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Process worker scaled.
    ! undo: stackops process scale worker=1 --server shop-web-1 -s shop && stackops process scale worker=3 --server shop-worker-1 -s shop
    process worker updated (1 -> 4 on shop-web-1, 3 -> 4 on shop-worker-1)
    $ stackops process scale web=1 -s shop --wait --json -y
    [{"name":"web","change":"updated","before":{"shop-web-1":2,"shop-web-2":2},"after":{"shop-web-1":1,"shop-web-2":1},"action":{"id":813,"user":"ada@harbour.example","resource_type":"stack","action":"Process_scale","resource_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","started_via":"api","started_at":"2026-05-04T12:00:05Z","finished_at":"2026-05-04T12:00:08Z","finished_success":true,"finished_message":"Process web scaled."},"message":"Process web scaled.","error":null}]
    $ stackops process scale web=3 -s shop --wait --wait-timeout 1s
    ! 12:00:10 action 814: started
    ! undo: stackops action wait 814 -s shop && stackops process scale web=1 -s shop
    ! error: action 814 has not finished after 1s (started); it continues
    ! hint: stackops action wait 814 -s shop
    updating process web (action 814, queued): 1 -> 3 on shop-web-1, 1 -> 3 on shop-web-2
    = 8
  `));

test('an undo leaves a server alone whose count is what it was', () =>
  transcript(`
    $ stackops process scale worker=3 -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Process worker scaled.
    ! undo: stackops process scale worker=1 --server shop-web-1 -s shop
    process worker updated (1 -> 3 on shop-web-1, 3 -> 3 on shop-worker-1)
    $ stackops process scale worker=5 --server shop-worker-1 -s shop --wait -q
    $ stackops history undo 1 -y --wait -q
    $ stackops process list -s shop --columns name,servers --where name=worker
    worker⇥shop-web-1=1, shop-worker-1=5
  `));

test('several that are not over in time have one line that waits for all of them', () =>
  transcript(`
    $ stackops process scale worker=4 web=3 -s shop --wait --wait-timeout 1s
    ! 12:00:00 action 812: started
    ! 12:00:01 action 813: started
    ! undo: stackops action wait 812 -s shop && stackops action wait 813 -s shop && stackops process scale web=2 -s shop && stackops process scale worker=1 --server shop-web-1 -s shop && stackops process scale worker=3 --server shop-worker-1 -s shop
    ! error: process worker: action 812 has not finished after 1s (started); it continues. process web: action 813 has not finished after 1s (started); it continues.
    ! hint: stackops action wait 812 -s shop && stackops action wait 813 -s shop
    updating process worker (action 812, queued): 1 -> 4 on shop-web-1, 3 -> 4 on shop-worker-1
    updating process web (action 813, queued): 2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2
    = 8
  `));

test('after Ctrl-C there is one line that waits for all, and no undo, for that would have to wait too', async () => {
  const stop = new AbortController();
  const words = ['process', 'scale', 'worker=4', 'web=3', '-s', 'shop', '--wait', '--sandbox'];
  const ran = await run(words, { signal: stop.signal, slept: () => stop.abort('SIGINT') });
  expect(ran).toMatchObject({ code: 130 });
  expect(ran.stderr).toMatch(
    /hint: stackops action wait 812 -s shop --sandbox && stackops action wait 813 -s shop --sandbox\n$/,
  );
  expect(ran.stderr).not.toContain('undo');
});

test('while a scale is unfinished a difference is refused, and a count warned about', () =>
  transcript(`
    $ stackops process scale scheduler=+2 -s shop
    ! undo: stackops action wait 812 -s shop && stackops process scale scheduler=1 -s shop
    updating process scheduler (action 812, queued): 1 -> 3 on shop-worker-1
    $ stackops process scale scheduler=+2 -s shop
    ! error: scheduler cannot be scaled by a difference: a scale is not finished (action 812); nothing was sent
    ! hint: stackops action wait 812 -s shop && stackops process scale scheduler=+2 -s shop
    = 6
    $ stackops process scale scheduler=5 -s shop
    ! warning: a scale is not finished (action 812): the counts before it are shown
    updating process scheduler (action 813, queued): 1 -> 5 on shop-worker-1
    +9s
    $ stackops process list -s shop --columns name,servers
    web⇥shop-web-1=2, shop-web-2=2
    worker⇥shop-web-1=1, shop-worker-1=3
    scheduler⇥shop-worker-1=5
    $ stackops process scale scheduler=+1 -s shop -q
    $ stackops process scale scheduler=+1 -s shop --wait --json --fields before,after
    [{"before":{"shop-worker-1":6},"after":{"shop-worker-1":7}}]
  `));

test('a count of 0 and more than ten times as many are asked about', () =>
  transcript(`
    $ stackops process scale scheduler=0 -s shop
    ! error: "process scale" needs -y (no terminal); nothing was changed
    ! hint: stackops process scale scheduler=0 -s shop -y
    = 2
    80$ stackops process scale scheduler=0 -s shop
    < n
    ! Scale process scheduler (of shop/production, scheduler 1 -> 0 on shop-worker-1)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops process scale worker=100 -s shop
    < n
    ! Scale process worker (of shop/production, worker 4 -> 200 in all: 1 -> 100 on shop-web-1, 3 -> 100 on shop-worker-1)? The number is per server. [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops process scale worker=20 -s shop -q
  `));
