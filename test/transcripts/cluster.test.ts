import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('clusters are listed', () =>
  transcript(`
    100$ stackops cluster list
    NAME        ENVIRONMENT  STATUS    HEALTH   NODES  CLOUD    KUBERNETES
    prod-eu     production   deployed  healthy      3  hetzner  1.31.4
    staging-eu  staging      deployed  healthy      1  hetzner  1.31.4
    $ stackops cluster list -q
    9c1e4b7a2d5f48309a1b2c3d4e5f6071
    ad2f5c8b3e60594bab2c3d4e5f607182
    $ stackops cluster list --json --fields name,status,node_count
    [{"name":"prod-eu","status":1,"node_count":3},{"name":"staging-eu","status":1,"node_count":1}]
  `));

test('a cluster is shown by UID or name, with a line for every node', transcriptFile);
test('creating one is for the service to refuse', transcriptFile);
test('the servers of a cluster are rebooted by its typed name', transcriptFile);
test('with --wait the end of a reboot is seen in its action', transcriptFile);

test('a cluster named by its UID is asked about also by a token that may not list', transcriptFile);
