import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('servers are listed in the order of the service', transcriptFile);

test('a terminal shows which servers are behind a gateway, where one is', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('one server is shown by its name or UID', transcriptFile);
test('a server is rebooted after a question', transcriptFile);
test('with --wait the end of a reboot is seen in its action', transcriptFile);
test('a reboot that was waited for shows the state after it', transcriptFile);
