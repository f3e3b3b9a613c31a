import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('what was done to a stack', transcriptFile);
test('action wait ends as the action does', transcriptFile);
