import { expect, test } from 'vitest';
import { run } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('an unknown word is answered with the command as it was probably meant', transcriptFile);

test('ids begin at 1, and names are UTF-8', transcriptFile);

test('what other tools call it is answered with what it is called here, and never run', transcriptFile);
test('an argument in another form is corrected in the hint', transcriptFile);

test.each(
  'cancel ssh events browse envs settings stacks databases servers processes login logout whoami version deploy rollback ls ps scale reboot use'.split(
    ' ',
  ),
)('what is suggested for %s is there', async (word) => {
  const [, ...meant] = /^hint: (.*)$/m.exec((await run([word])).stderr)?.[1]?.split(' ') ?? [];
  const path = meant.filter((part) => part !== '--help');
  expect(path).not.toEqual([]);
  const { code, stdout } = await run([...path, '--help']);
  const usage = path.includes('--version') ? 'Usage: stackops ' : `Usage: stackops ${path.join(' ')}`;
  expect([code, stdout.includes(usage)]).toEqual([0, true]);
});

test('an unknown option likewise', transcriptFile);
test('the beginning of a flag stands for the flag', transcriptFile);

test('status is watched, not waited for', transcriptFile);

test('a list of a command without commands below it, and the stack of one with some', transcriptFile);
test('words too many or too few', transcriptFile);

test('a mistake in a JSON run is one line of JSON', transcriptFile);

test('a target or a list that is given twice with different values is refused, wherever it stands', transcriptFile);
test('a flag that was removed is refused with what replaces it', transcriptFile);
test('env stands for stack env, and is written in full afterwards', transcriptFile);
test(
  'on a terminal an error is text unless --json is asked for; in a pipe --jq and --output json make it JSON',
  transcriptFile,
);
