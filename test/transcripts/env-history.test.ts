import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('the values of a variable are listed, newest first', transcriptFile);
test('without a name: what has changed, and when', transcriptFile);
test('a variable is given its previous value, and that is undone the same way', transcriptFile);

test('the previous value is the newest that differs', transcriptFile);

test('a value is chosen by its number', transcriptFile);
test('a value is chosen by a moment before which it was in effect', transcriptFile);
test('what has no past, or is read-only, is refused before anything is written', transcriptFile);

test('a password shows nothing of itself', transcriptFile);

test('--dry-run prints a rollback', transcriptFile);
