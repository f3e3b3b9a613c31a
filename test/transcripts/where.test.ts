import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('--where keeps the rows that match, by word or code, in every form', transcriptFile);
test('a word that a field cannot have is refused with those that it can', transcriptFile);
test('a commit is found by the digits that a table shows', transcriptFile);
test('a guess of a masked value is never repeated', transcriptFile);
test('a filter that cannot be is refused before anything is sent', transcriptFile);

const csv = ['backup', 'list', '-s', 'shop', '--output', 'csv', '--columns', 'id'];

test('CSV has its heading where no row matches', async () => {
  const env = { STACKOPS_SANDBOX: '1' };
  expect((await run([...csv, '--where', 'id=904'], { env })).stdout).toBe('id\r\n904\r\n');
  expect((await run([...csv, '--where', 'id=1'], { env })).stdout).toBe('id\r\n');
});

test('the limit acts on what is left, and reading stops there', transcriptFile);
test('a stack that cannot be read is shown, whatever the filter', transcriptFile);

test('codes have a field of words, in every form, for --where and for --sort', transcriptFile);

test('a code without a word is shown as it is, and what the service sent is not replaced', transcriptFile);

test('the words of codes in jq', transcriptFile);
