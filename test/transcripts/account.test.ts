import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('accounts are listed and shown', transcriptFile);

test('an account of others is refused with the scope that was needed', transcriptFile);
test('a one-time password is printed bare', transcriptFile);
