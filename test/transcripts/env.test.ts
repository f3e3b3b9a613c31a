import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('variables are listed over all pages, in the order of the service', transcriptFile);

test('passwords are masked for people and given to programs', transcriptFile);

test('one value is printed bare', transcriptFile);
test('set creates, updates and leaves alone', transcriptFile);
test('secrets are not shown, and long values are cut', transcriptFile);
test('undo is one line, whatever was done', transcriptFile);
test('values travel unaltered', transcriptFile);
test('a value comes from stdin', transcriptFile);
test('a plain variable stays plain with its value from stdin', transcriptFile);

test('a value from stdin is no part of JSON either, unless secrets are asked for', transcriptFile);
test('--dry-run does not print a value from stdin', transcriptFile);
test('a value from stdin goes to each of several stacks', transcriptFile);

test('an empty value from stdin is refused unless it is meant', transcriptFile);

test('a file that cannot be read', transcriptFile);

test('a mask that comes back is refused', transcriptFile);
test('set refuses what it cannot mean', transcriptFile);
test('a read-only variable stops the run before the first write', transcriptFile);
test('unset says which values will not be kept', transcriptFile);

test('a value that no line can show will not be kept either', transcriptFile);

test('a half-made unset can be typed again', transcriptFile);
test('a key that was deleted from this machine is told from one that never was', transcriptFile);
test('a number that is the ID of a variable, and no key, is no key to unset', transcriptFile);
test('unset asks first', transcriptFile);
