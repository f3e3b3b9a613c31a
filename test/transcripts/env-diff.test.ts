import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('the stack is on the left, the file on the right', transcriptFile);
test('--keys-only prints no value', transcriptFile);
test('--exit-code is 10 where something differs', transcriptFile);
test('two stacks: what the service itself sets is not compared', transcriptFile);

test('a read-only variable is compared where the file has it', transcriptFile);

test('the exit code follows the rows that are listed', transcriptFile);
test('over several stacks it follows them too, also where --where is about the stack', transcriptFile);
test('what cannot be compared', transcriptFile);

test('two stacks beside a third: one request for each that is read', transcriptFile);

test('a value that the service hides differs from nothing', transcriptFile);
