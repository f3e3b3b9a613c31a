import { test } from 'vitest';
import { transcriptFile } from '../../support/transcript.ts';

test('a group shows what it holds', transcriptFile);
test('a command shows all there is to know', transcriptFile);
test('topics', transcriptFile);
