import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('settings are listed in the order of the service', transcriptFile);
test('one value is printed bare', transcriptFile);
test('set says what was and what will be', transcriptFile);
