import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('--servers reboots one server after another, once the name of the stack is typed', transcriptFile);
test('nothing is rebooted that nobody confirmed or that nobody may reboot', transcriptFile);

test('it is the same in the other forms of reply, and where a reboot fails, the rest is not tried', async () => {
  for (const replies of ['actions', 'legacy'] as const) {
    await transcript(
      `
      $ stackops restart -s shop --servers --confirm shop/production --jq 'map(.change)'
      ["rebooted","rebooted","rebooted","rebooted"]
    `,
      { sandbox: { replies } },
    );
    await transcript(
      `
      $ stackops restart -s shop --servers --confirm shop/production
      ! 12:00:00 the reboot of shop-web-1: health unknown
      ! 12:00:05 the reboot of shop-web-1: health failed
      ! error: server shop-web-1: the reboot of shop-web-1 has not finished after 30m (health failed); it continues. Not tried: server shop-web-2, server shop-db-1, server shop-worker-1.
      ! hint: stackops server get shop-web-1 -s shop && stackops server reboot shop-web-2 --wait -s shop && stackops server reboot shop-db-1 --wait -s shop && stackops server reboot shop-worker-1 --wait -s shop
      rebooting server shop-web-1 (queued)
      rebooting server shop-web-2 (not tried)
      rebooting server shop-db-1 (not tried)
      rebooting server shop-worker-1 (not tried)
      = 8
    `,
      { sandbox: { replies, failActions: true } },
    );
  }
});

test('a server is back once it was down and is healthy, or is healthy at the second look', transcriptFile);
test('two requests are sent before the first reboot, and one for the name that is confirmed', transcriptFile);
test('the first that does not come back stops the rest', transcriptFile);
test('where no health is shown nothing is rebooted, since nothing could show that a server is back', transcriptFile);
test('a reboot that is refused stops the rest', transcriptFile);
