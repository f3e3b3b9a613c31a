import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('gateways are listed', transcriptFile);
test('a gateway is created, and its key is shown nowhere', transcriptFile);
test('a gateway is changed, with what was before and what is now', transcriptFile);
test('two gateways of one name are distinguished by their ids', transcriptFile);
test('a gateway is deleted by its typed name', transcriptFile);

test('what undoes a new one whose name is the id of another names it by its own id', () =>
  transcript(`
    $ stackops gateway create --name 5 --address 203.0.113.9
    ! undo: stackops gateway delete 9 -a 42
    gateway 5 created (9, 203.0.113.9, closed)
  `));
