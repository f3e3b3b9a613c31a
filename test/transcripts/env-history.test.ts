import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('the values of a variable are listed, newest first', transcriptFile);
test('without a name: what has changed, and when', transcriptFile);
test('a variable is given its previous value, and that is undone the same way', transcriptFile);

test('the previous value is the newest that differs', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug -s shop -q
    $ stackops stack env set LOG_LEVEL=info -s shop -q
    $ stackops stack env set CURRENCY=USD -s shop -q
    $ stackops stack env rollback LOG_LEVEL CURRENCY LOG_LEVEL -s shop
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s shop
    LOG_LEVEL rolled back (info -> debug)
    CURRENCY rolled back (USD -> EUR)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL CURRENCY -s shop --json
    [{"key":"LOG_LEVEL","change":"rolled_back","before":"debug","after":"info","action":null,"message":null,"error":null},{"key":"CURRENCY","change":"rolled_back","before":"EUR","after":"USD","action":null,"message":null,"error":null}]
  `));

test('a value is chosen by its number', transcriptFile);
test('a value is chosen by a moment before which it was in effect', transcriptFile);
test('what has no past, or is read-only, is refused before anything is written', transcriptFile);

test('a password shows nothing of itself', () =>
  transcript(`
    $ stackops stack env set SMTP_PASSWORD=correct-horse -s shop -q
    $ stackops stack env rollback SMTP_PASSWORD -s shop
    ! undo: stackops stack env rollback SMTP_PASSWORD -s shop
    SMTP_PASSWORD rolled back (*** -> ***)
    Running code may see this only after the next deployment.
    $ stackops stack env get SMTP_PASSWORD -s shop
    sandbox-smtp-password
  `));

test('--dry-run prints a rollback', transcriptFile);
