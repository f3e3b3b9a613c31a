import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('variants are listed', transcriptFile);
test('a variant answers to its type while it is the only one of it', transcriptFile);

test('a share that the service does not show has no undo', transcriptFile);
test('of two variants of a type none is chosen', transcriptFile);

test('a canary is weighed', transcriptFile);
test('the only canary needs no name, and to take its traffic no consent', transcriptFile);
test('what cannot be weighed is refused before anything is sent', transcriptFile);
test('a canary is committed after a question', transcriptFile);
test('a preview is deleted, anything else is not', transcriptFile);
