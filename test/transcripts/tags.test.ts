import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('tags are listed', transcriptFile);
test('tags are replaced and patched', transcriptFile);
test('tags are cleared by the typed name of their entity', transcriptFile);
test('what is so already is left alone, and what was there can be restored', transcriptFile);
test('several entities at once', transcriptFile);
test('a server in a stack has a name', transcriptFile);
test('reserved tags stay, unless they are asked for and confirmed', transcriptFile);
test('a tag with a comma is one tag in its undo, too', transcriptFile);
test('tags are added and removed by name, and one command undoes it', transcriptFile);
test('a read takes patterns of servers, and each row names its server', transcriptFile);
test('a change refuses a pattern of servers', transcriptFile);
