import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('stacks are listed, narrow, wide and piped', transcriptFile);
test('one stack is shown to people with times in words and its hook masked', transcriptFile);
test('one stack is shown to programs as it is', transcriptFile);
test('a default stack is kept in the profile', transcriptFile);
