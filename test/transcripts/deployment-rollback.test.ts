import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('a rollback deploys the commit that was live before, and is itself taken back', transcriptFile);

test('what is live already is left alone, unless something else is on its way', transcriptFile);

test('without waiting it can be cancelled, and it may take too long', transcriptFile);
test('where there is nothing to go back to, nothing is sent', transcriptFile);
