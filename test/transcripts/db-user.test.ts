import { test } from 'vitest';
import { transcriptFile } from '../support/transcript.ts';

test('users are listed, their passwords when they are asked for', transcriptFile);
test('a user is made when its action has finished', transcriptFile);
test('a password is replaced by the typed name of its user', transcriptFile);
test('a user is deleted by the typed name', transcriptFile);

test('a database user answers to its exact name', transcriptFile);

test(
  'with --wait and --reveal the new password is read and shown; without, the command that shows it is',
  transcriptFile,
);

test('where the service shows no password, that is said', transcriptFile);
