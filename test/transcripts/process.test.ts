import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('processes are listed with their counts', transcriptFile);
test('one process is shown', transcriptFile);
test('a count goes to each server of the process', transcriptFile);
test('a difference starts from what runs', transcriptFile);
test('one server alone is scaled', transcriptFile);
test('a decrease on several servers needs a confirmation, one on a single server does not', transcriptFile);
test('what cannot be meant is refused', transcriptFile);
test('fields of the body are a way out', transcriptFile);
test('a protected profile asks for its name', transcriptFile);

test('counts are no secrets, and a hint repeats them', () =>
  transcript(`
    $ stackops process scale worker=0 -s shop
    ! error: "process scale" needs -y (no terminal); nothing was changed
    ! hint: stackops process scale worker=0 -s shop -y
    = 2
  `));

test('with --wait it says that it is done', transcriptFile);

test('an undo leaves a server alone whose count is what it was', () =>
  transcript(`
    $ stackops process scale worker=3 -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Process worker scaled.
    ! undo: stackops process scale worker=1 --server shop-web-1 -s shop
    process worker updated (1 -> 3 on shop-web-1, 3 -> 3 on shop-worker-1; per server, 4 -> 6 in all)
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
    updating process worker (action 812, queued): 1 -> 4 on shop-web-1, 3 -> 4 on shop-worker-1; per server, 4 -> 8 in all
    updating process web (action 813, queued): 2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2; per server, 4 -> 6 in all
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

test('while a scale is unfinished a difference is refused, and a count warned about', transcriptFile);
test('a count of 0 and more than ten times as many are asked about', transcriptFile);
