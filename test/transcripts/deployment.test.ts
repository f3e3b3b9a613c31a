import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('deployments are listed, the newest first', transcriptFile);
test('one deployment is shown', transcriptFile);
test('a deployment is made, watched and cancelled', transcriptFile);
test('several are cancelled after one question; those that have ended are left alone', transcriptFile);
test('without an ID the only deployment in progress is cancelled', transcriptFile);
test('a deployment asks with live facts', transcriptFile);
test('redeploy is deployment create', transcriptFile);

test('a refusal is shown with the message of the service', transcriptFile);
