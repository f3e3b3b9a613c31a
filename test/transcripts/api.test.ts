import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('any endpoint is read, wrapper included', transcriptFile);
test('and changed', transcriptFile);

test('the endpoints are listed', transcriptFile);
test('what is not found is hinted with the list of its kind, or of the endpoints', transcriptFile);
