import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('a count that came as text is a count', transcriptFile);
test('a count that is a word is named where it is needed', transcriptFile);
test('a count that is a fraction is named where it is needed', transcriptFile);
test('a count that is the text of a fraction is named where it is needed', transcriptFile);
test('counts that are null are named where they are needed', transcriptFile);
test('counts in a list are named where they are needed', transcriptFile);
test('what cannot be shown to a person is printed as it was sent with --json', transcriptFile);

test('a variant of unknown type is shown, and neither deleted nor committed nor weighed', transcriptFile);
test('a rollout is listed by its own type', transcriptFile);
test('what has no commit says so', transcriptFile);
test('the next page is a number', transcriptFile);
test('the next page is a path', transcriptFile);
test('the next page is an address', transcriptFile);

test('an outcome is a word', transcriptFile);
test('an outcome is a code with an empty meaning', transcriptFile);
test('an outcome is a code', transcriptFile);
test('an outcome is the text of a code', transcriptFile);
test('what decides and cannot be read is told, and a list shows it', transcriptFile);
test('a size may be a text or an object', transcriptFile);
