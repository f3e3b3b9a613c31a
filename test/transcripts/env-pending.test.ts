import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('--pending lists what was changed since the live deployment began', transcriptFile);
test('--since-deployment compares the values of then and now', transcriptFile);

test('no deployment is live: none of the newest 1 deployments is live', transcriptFile);
test('no deployment is live: no deployment', transcriptFile);
test('the live deployment does not say when it began', transcriptFile);
