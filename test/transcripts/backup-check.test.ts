import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('the newest good backup of each database is held against an age', transcriptFile);

test('a newer one that failed is not good enough', transcriptFile);
test('a status that is not known is not good enough', transcriptFile);
test('a good one that is old is not good enough', transcriptFile);
test('a verification that failed is not good enough', transcriptFile);
test('a time that cannot be read is named, and is no verdict', transcriptFile);

test('the newest good backup is found for a download', transcriptFile);

test('a database of one name on two servers is two databases', transcriptFile);
test('a service that ignores a filter is filtered here', transcriptFile);
