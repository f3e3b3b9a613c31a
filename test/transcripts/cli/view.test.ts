import { test } from 'vitest';
import { transcript, transcriptFile } from '../../support/transcript.ts';

test('a piped list is data, a heading on request', transcriptFile);
test('lists are sorted and limited', transcriptFile);
test('JSON is one document, spread out for people', transcriptFile);
test('an unknown name costs no request and shows the known ones', transcriptFile);
test('options that contradict each other are refused', transcriptFile);

test('-q wins over the form that is preferred, and not over the one that is typed', () =>
  transcript(`
    $ stackops config set output=json -q
    $ stackops stack list -q --limit 1
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    80$ STACKOPS_OUTPUT=yaml stackops stack list -q --limit 1
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    $ stackops stack env set A=1 -s shop -q
    $ stackops stack get shop --fields name -q
    {"name":"shop"}
    $ stackops stack list --limit 1 --fields name --json -q
    [{"name":"shop"}]
  `));

test('secrets are shown to people with --reveal only', transcriptFile);
