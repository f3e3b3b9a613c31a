import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('processes are listed with their counts', transcriptFile);
test('one process is shown', transcriptFile);
test('a count goes to each server of the process', transcriptFile);
test('a difference starts from what runs', transcriptFile);
test('one server alone is scaled', transcriptFile);
test('a decrease on several servers needs a confirmation, one on a single server does not', transcriptFile);
test('what cannot be meant is refused', transcriptFile);
test('fields of the body are a way out', transcriptFile);
test('a protected profile asks for its name', transcriptFile);

test('counts are no secrets, and a hint repeats them', transcriptFile);
test('a secret in a command is masked', transcriptFile);

test('with --wait it says that it is done', transcriptFile);

test('an undo leaves a server alone whose count is what it was', transcriptFile);
test('several that are not over in time have one line that waits for all of them', transcriptFile);

test('after Ctrl-C there is one line that waits for all, and no undo, for that would have to wait too', async () => {
  const stop = new AbortController();
  const words = ['process', 'scale', 'worker=4', 'web=3', '-s', 'shop', '--wait', '--sandbox'];
  const ran = await run(words, { signal: stop.signal, slept: () => stop.abort('SIGINT') });
  expect(ran).toMatchObject({ code: 130 });
  expect(ran.stderr).toMatch(
    /hint: stackops action wait 812 -s shop --sandbox && stackops action wait 813 -s shop --sandbox\n$/,
  );
  expect(ran.stderr).not.toContain('undo');
});

test('while a scale is unfinished a difference is refused, and a count warned about', transcriptFile);
test('a count of 0 and more than ten times as many are asked about', transcriptFile);
