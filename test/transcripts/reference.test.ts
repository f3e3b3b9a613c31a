import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('the facts of one cloud', transcriptFile);

test('the modules of the web server', transcriptFile);
