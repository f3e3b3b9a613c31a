import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

/** One write of each kind against each form of replies; all other transcripts use the form of the document. */

test('actions: what an action was queued for is not called done', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('actions: with --wait it is done once its action has ended well', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('actions that fail: with --wait it has failed, and the run is 9', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));

test('legacy: an acceptance is no end; with --wait that is seen in what changed, or not at all', (context) =>
  transcriptFile(context, { sandbox: { replies: 'legacy' } }));
