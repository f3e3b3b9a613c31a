import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('databases are listed', transcriptFile);
test('a created database appears when its action has finished', transcriptFile);
test('a database is deleted by its typed name only', transcriptFile);

test('a database answers to its exact name', transcriptFile);

test('with --wait the record holds the UID, and what was deleted', transcriptFile);

test('a name that is taken is not sent', transcriptFile);

test('databases and their users are given by UID or by name', transcriptFile);

test('where no user is listed, what was typed is sent', transcriptFile);
