import { test } from 'vitest';
import { transcriptFile } from '../../support/transcript.ts';

test('a piped list is data, a heading on request', transcriptFile);
test('lists are sorted and limited', transcriptFile);
test('JSON is one document, spread out for people', transcriptFile);
test('an unknown name costs no request and shows the known ones', transcriptFile);
test('options that contradict each other are refused', transcriptFile);

test('-q wins over the form that is preferred, and not over the one that is typed', transcriptFile);

test('secrets are shown to people with --reveal only', transcriptFile);
