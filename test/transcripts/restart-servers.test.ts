import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('--servers reboots one server after another, once the name of the stack is typed', transcriptFile);
test('nothing is rebooted that nobody confirmed or that nobody may reboot', transcriptFile);

test.for(['actions', 'legacy'] as const)('it is the same in the other forms of reply', (replies, context) =>
  transcriptFile(context, { sandbox: { replies } }),
);
test.for(['actions', 'legacy'] as const)('where a reboot fails the rest is not tried', (replies, context) =>
  transcriptFile(context, { sandbox: { replies, failActions: true } }),
);

test('a server is back once it was down and is healthy, or is healthy at the second look', transcriptFile);
test('two requests are sent before the first reboot, and one for the name that is confirmed', transcriptFile);
test('the first that does not come back stops the rest', transcriptFile);
test('where no health is shown nothing is rebooted, since nothing could show that a server is back', transcriptFile);
test('a reboot that is refused stops the rest', transcriptFile);
