import { test } from 'vitest';
import { transcriptFile } from '../../support/transcript.ts';

test('a flag that promises what will not happen is refused', transcriptFile);

test('a line for curl has one form', transcriptFile);
