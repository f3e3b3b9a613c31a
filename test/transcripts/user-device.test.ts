import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('a device is registered, changed and deleted, and its token is shown nowhere', transcriptFile);
test('android is taken with a warning', transcriptFile);
test('what cannot be a device costs no request', transcriptFile);
