import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('the end of a change of a setting is seen in its effect', transcriptFile);
test('the end of a change of a setting of a server is seen in its effect', transcriptFile);
test('the end of a scaling is seen in its effect', transcriptFile);
test('the end of a creation is seen in its effect', transcriptFile);
test('the end of a deletion is seen in its effect', transcriptFile);
test('an effect that does not come is still awaited when the time is over', transcriptFile);
test('nothing shows that a password was changed, and the error says so', transcriptFile);
test('nothing shows that a cluster was rebooted, and the error says so', transcriptFile);
test('nothing shows that a server was rebooted, and the error says so', transcriptFile);
