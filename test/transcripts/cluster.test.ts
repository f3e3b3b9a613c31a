import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('clusters are listed', transcriptFile);

test('a cluster is shown by UID or name, with a line for every node', transcriptFile);
test('creating one is for the service to refuse', transcriptFile);
test('the servers of a cluster are rebooted by its typed name', transcriptFile);
test('with --wait the end of a reboot is seen in its action', transcriptFile);

test('a cluster named by its UID is asked about also by a token that may not list', transcriptFile);
