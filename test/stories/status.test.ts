import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('one stack on one screen, and as lines in a pipe', () =>
  transcript(`
    80$ stackops status -s shop
    60$ stackops status -s shop --backup-age 30d
    $ stackops status -s shop
    80$ stackops status -s shop --only servers --fields name,state
    $ stackops status -s shop --only servers -q
    $ stackops status -s blog/staging --only deployment,variants,backups --output table
  `));

test('what is in progress, and what was changed since the live deployment began', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug -s shop
    +60s
    $ stackops redeploy --git-ref slow -s shop -y
    $ stackops process scale web=3 -s shop
    +2s
    80$ stackops status -s shop --only deployment,pending
    $ stackops status -s shop --only deployment,pending
    +90s
    80$ stackops status -s shop --only deployment
  `));

test('all stacks', () =>
  transcript(`
    100$ stackops status
    $ stackops status
    $ stackops status --only backups
    $ stackops status --only deployment,servers,backups
    $ stackops status --exit-code
    $ stackops status --jq '.[] | .name + " " + (.problems | length | tostring)'
  `));

test('the exit code judges the last deployment, the servers and the backups', () =>
  transcript(`
    $ stackops status -s shop --exit-code --json --fields name,environment,problems,errors
    $ stackops status -s shop --exit-code --only deployment,backups --backup-age 30d
    $ stackops status -s blog/staging --exit-code --only deployment -q
    $ stackops status -s shop --exit-code --only variants -q
  `));

test('a section that cannot be read says why, and fails where it is needed', () =>
  transcript(
    `
    80$ stackops status -s shop --only deployment,variants,pending
    $ stackops status -s shop --only deployment,variants --json --fields variants,errors
    $ stackops status -s shop --only deployment --exit-code -q
    $ stackops status -s shop --only deployment,variants --exit-code -q
    $ stackops status -s shop --only variants
    $ stackops status -s 00000000000000000000000000000000
  `,
    { STACKOPS_TOKEN: 'sandbox_public' },
  ));

test('mistakes', () =>
  transcript(`
    $ stackops status shop
    $ stackops status -s shop,blog/staging
    $ stackops status -s shop --only server
    $ stackops status -s shop --backup-age soon
  `));
