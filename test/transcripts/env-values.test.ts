import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('a number is exported as it was sent, and null is left out and named', transcriptFile);
test('a program gets the numbers as they were sent', transcriptFile);
test('a number is set again as it was sent', transcriptFile);
test('null is no text', transcriptFile);
test('a copy takes numbers as they were sent, and names what is null', transcriptFile);
test('one rule says what is masked', transcriptFile);

test('an export without a variable says so', transcriptFile);

test('a value is emptied only where that is meant', transcriptFile);
test('what was set already is counted, and what all stacks have in common is said once', transcriptFile);
