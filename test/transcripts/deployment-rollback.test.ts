import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('a rollback deploys the commit that was live before, and is itself taken back', transcriptFile);

test('what is live already is left alone, unless something else is on its way', () =>
  transcript(`
    $ stackops deployment rollback 1041 -s shop
    deployment 1041 unchanged (already live, commit d8b847d)
    $ stackops deployment rollback 1041 -s shop --json --fields id,change,before.id,after.is_live
    {"id":1041,"change":"unchanged","before":{"id":1041},"after":{"is_live":true}}
    $ stackops deployment list -s shop --limit 1 -q
    1041
    $ stackops redeploy -s shop -y -q
    $ stackops deployment rollback 1041 -s shop -y -q --detach
    $ stackops deployment list -s shop --limit 1 --columns id,git_hash
    1043⇥d8b847daf0a06d549f0919d2c59a146e283b8b78
  `));

test('without waiting it can be cancelled, and it may take too long', transcriptFile);
test('where there is nothing to go back to, nothing is sent', transcriptFile);
