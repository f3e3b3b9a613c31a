import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('with --wait a deployment is watched to its end, and the one live before is shown', transcriptFile);

test('what went live meanwhile was live before', transcriptFile);

test('a deployment that fails is 9, and nothing is there to take back', transcriptFile);
test('a deployment that takes too long is 8, and can be waited for and cancelled', transcriptFile);
test('deployment wait ends as the deployment does', transcriptFile);

test('where nothing can show the end, the wait says so at once', transcriptFile);
test('the cause of a failure repeats no value that was written', transcriptFile);
