import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('with --wait a deployment is watched to its end, and the one live before is shown', transcriptFile);

test('what went live meanwhile was live before', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y --wait
    ! 12:00:00 deployment 1043: queued
    ! 12:00:05 deployment 1043: deploying
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s shop
    deployment 1043 succeeded after 4s: commit 967009b
    Previously live: deployment 1042, commit d9a2ece
  `));

test('a deployment that fails is 9, and nothing is there to take back', transcriptFile);
test('a deployment that takes too long is 8, and can be waited for and cancelled', transcriptFile);
test('deployment wait ends as the deployment does', transcriptFile);

test('where nothing can show the end, the wait says so at once', transcriptFile);
test('the cause of a failure repeats no value that was written', transcriptFile);
