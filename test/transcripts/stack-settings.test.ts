import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('settings are listed in the order of the service', transcriptFile);
test('one value is printed bare', transcriptFile);
test('set says what was and what will be', transcriptFile);
test('maintenance mode needs a confirmation when it would be turned on', transcriptFile);
test('nothing is changed unless everything can be', transcriptFile);
test('--dry-run reads the list and sends nothing', transcriptFile);
test('with --wait it says that it is done', transcriptFile);
