import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('a variant that carries type and sub_type is guarded as one that carries variant_type', transcriptFile);
test('aliases are shown under the declared name to people, and as they were sent in JSON', transcriptFile);

test('of a list of several processes the one of the name or digest is meant', transcriptFile);
test('paused processes do not look as if they ran', transcriptFile);
test('an acceptance without more is enough for a redeploy, and nothing is checked', transcriptFile);
test('an action that has ended in the reply itself is not queued: 9 where it failed', transcriptFile);
test('an action without a word of success has failed, and is not called queued', transcriptFile);
test('a stack that is listed twice shows both roles, and is compared with both', transcriptFile);
test('the only account is the account', transcriptFile);
test('a device that was just seen to be absent is not deleted', transcriptFile);
test('a type that ends with a blank is shown without it, and sent as it is', transcriptFile);
test('a new cluster is answered by a cluster', transcriptFile);
test('a new cluster is answered by its id alone', transcriptFile);
test('a new cluster is answered by a plain ok', transcriptFile);
test('a new cluster is answered by an action', transcriptFile);
test('processes that are all paused are paused', transcriptFile);
test('a process in a row for each server, with counts by UID, is scaled as one', transcriptFile);
test('a record with another ID is refused', transcriptFile);
test('types of variants are read in any case', transcriptFile);
