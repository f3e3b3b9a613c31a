import { test } from 'vitest';
import { transcriptFile } from '../../support/transcript.ts';

test('--dry-run prints the request and sends nothing', transcriptFile);

test('--curl prints a line that a shell takes', transcriptFile);
