import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

/** One write of each kind against each form of replies; the form of the document is that of all other stories. */

test('actions: what an action was queued for is not called done', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop
    ! undo: stackops action wait 812 -s shop && stackops stack env rollback LOG_LEVEL -s shop
    updating LOG_LEVEL (action 812, queued): info -> debug
    Running code may see this only after the next deployment.
    $ stackops stack env unset CURRENCY -s shop -y
    ! undo: stackops action wait 813 -s shop && stackops stack env set CURRENCY=EUR -s shop
    deleting CURRENCY (action 813, queued): was EUR
    Running code may see this only after the next deployment.
    $ stackops stack settings set git.branch=release -s shop
    ! undo: stackops action wait 814 -s shop && stackops stack settings set git.branch=main -s shop
    updating git.branch (action 814, queued): main -> release
    $ stackops variant weight va-canary 25 -s shop
    ! undo: stackops action wait 815 -s shop && stackops variant weight va-canary 10 -s shop
    updating variant va-canary (action 815, queued): 10 % -> 25 %
    $ stackops variant delete va-preview -s shop -y
    deleting variant va-preview (action 816, queued): preview, 0 % of traffic, commit 1c2d3e4
    $ stackops variant commit va-canary -s shop -y
    committing variant va-canary (action 817, queued)
    $ stackops process scale web=3 -s shop
    ! undo: stackops action wait 818 -s shop && stackops process scale web=2 -s shop
    updating process web (action 818, queued): 2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2
    $ stackops server reboot shop-web-1 -s shop -y
    rebooting server shop-web-1 (action 819, queued): c1a7d3e95b2f4860a1b2c3d4e5f60718, web, healthy
    $ stackops redeploy -s shop -y
    starting deployment (action 820, queued): Stack shop queued for redeployment
    $ stackops backup create -s shop --db-type redis
    creating backup of redis (action 821, queued)
    $ stackops db user regenerate-password app -s shop --confirm app
    ! read its password: stackops action wait 822 -s shop && stackops db user list --show-password --reveal -s shop -g 21
    changing the password of database user app (action 822, queued): du7c2, application, uses shop_prod and shop_events
  `,
    {},
    { replies: 'actions' },
  ));

test('actions: with --wait it is done once its action has ended well', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Done.
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL updated (info -> debug)
    Running code may see this only after the next deployment.
    $ stackops stack env unset CURRENCY -s shop -y --wait
    ! 12:00:05 action 813: started
    ! 12:00:10 action 813: succeeded: Environment variable CURRENCY deleted.
    ! undo: stackops stack env set CURRENCY=EUR -s shop
    CURRENCY deleted (was EUR)
    Running code may see this only after the next deployment.
    $ stackops stack settings set git.branch=release -s shop --wait
    ! 12:00:10 action 814: started
    ! 12:00:15 action 814: succeeded: Setting git.branch changed.
    ! undo: stackops stack settings set git.branch=main -s shop
    git.branch updated (main -> release)
    $ stackops variant weight va-canary 25 -s shop --wait
    ! 12:00:15 action 815: started
    ! 12:00:20 action 815: succeeded: Variant va-canary receives 25% of the traffic
    ! undo: stackops variant weight va-canary 10 -s shop
    variant va-canary updated (10 % -> 25 %)
    $ stackops variant delete va-preview -s shop -y --wait
    ! 12:00:20 action 816: started
    ! 12:00:25 action 816: succeeded: Variant va-preview deleted
    variant va-preview deleted (preview, 0 % of traffic, commit 1c2d3e4)
    $ stackops variant commit va-canary -s shop -y --wait
    ! 12:00:25 action 817: started
    ! 12:00:30 action 817: succeeded: Variant va-canary committed
    variant va-canary committed (va-active, commit d8b847d -> va-canary, commit 9d4e1f7)
    $ stackops process scale web=3 -s shop --wait
    ! 12:00:30 action 818: started
    ! 12:00:35 action 818: succeeded: Process web scaled.
    ! undo: stackops process scale web=2 -s shop
    process web updated (2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2)
    $ stackops server reboot shop-web-1 -s shop -y --wait
    ! 12:00:35 action 819: started
    ! 12:00:40 action 819: succeeded: Server shop-web-1 rebooted.
    server shop-web-1 rebooted (c1a7d3e95b2f4860a1b2c3d4e5f60718, web, healthy)
    $ stackops redeploy -s shop -y --wait
    ! 12:00:40 deployment 1042: queued
    ! 12:00:45 deployment 1042: success
    ! undo: stackops deployment rollback 1041 -s shop
    deployment 1042 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1041, commit d8b847d
    $ stackops backup create -s shop --db-type redis --wait
    ! 12:00:45 action 821: started
    ! 12:00:50 action 821: succeeded: Backup of redis created.
    backup of redis created
    $ stackops db user regenerate-password app -s shop --confirm app --wait
    ! 12:00:50 action 822: queued
    ! 12:00:55 action 822: succeeded: Password of app changed.
    ! read its password: stackops db user list --show-password --reveal -s shop -g 21
    database user app password changed (du7c2, application, uses shop_prod and shop_events)
  `,
    {},
    { replies: 'actions' },
  ));

test('actions that fail: with --wait it has failed, and the run is 9', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: failed: Simulated failure.
    ! error: action 812 failed: Simulated failure.
    updating LOG_LEVEL (action 812, failed)
    = 9
    $ stackops stack env unset CURRENCY -s shop -y --wait
    ! 12:00:05 action 813: started
    ! 12:00:10 action 813: failed: Simulated failure.
    ! error: action 813 failed: Simulated failure.
    deleting CURRENCY (action 813, failed)
    = 9
    $ stackops stack settings set git.branch=release -s shop --wait
    ! 12:00:10 action 814: started
    ! 12:00:15 action 814: failed: Simulated failure.
    ! error: action 814 failed: Simulated failure.
    updating git.branch (action 814, failed): main -> release
    = 9
    $ stackops variant weight va-canary 25 -s shop --wait
    ! 12:00:15 action 815: started
    ! 12:00:20 action 815: failed: Simulated failure.
    ! error: action 815 failed: Simulated failure.
    updating variant va-canary (action 815, failed): 10 %
    = 9
    $ stackops variant delete va-preview -s shop -y --wait
    ! 12:00:20 action 816: started
    ! 12:00:25 action 816: failed: Simulated failure.
    ! error: action 816 failed: Simulated failure.
    deleting variant va-preview (action 816, failed): preview, 0 % of traffic, commit 1c2d3e4
    = 9
    $ stackops variant commit va-canary -s shop -y --wait
    ! 12:00:25 action 817: started
    ! 12:00:30 action 817: failed: Simulated failure.
    ! error: action 817 failed: Simulated failure.
    committing variant va-canary (action 817, failed)
    = 9
    $ stackops process scale web=3 -s shop --wait
    ! 12:00:30 action 818: started
    ! 12:00:35 action 818: failed: Simulated failure.
    ! error: action 818 failed: Simulated failure.
    updating process web (action 818, failed): 2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2
    = 9
    $ stackops server reboot shop-web-1 -s shop -y --wait
    ! 12:00:35 action 819: started
    ! 12:00:40 action 819: failed: Simulated failure.
    ! error: action 819 failed: Simulated failure.
    rebooting server shop-web-1 (action 819, failed): c1a7d3e95b2f4860a1b2c3d4e5f60718, web, healthy
    = 9
    $ stackops redeploy -s shop -y --wait
    ! 12:00:40 deployment 1042: queued
    ! 12:00:45 deployment 1042: failed: The build failed.
    ! error: deployment 1042 failed: The build failed.
    starting deployment (action 820, failed)
    = 9
    $ stackops backup create -s shop --db-type redis --wait
    ! 12:00:45 action 821: started
    ! 12:00:50 action 821: failed: Simulated failure.
    ! error: action 821 failed: Simulated failure.
    creating backup of redis (action 821, failed)
    = 9
    $ stackops db user regenerate-password app -s shop --confirm app --wait
    ! 12:00:50 action 822: queued
    ! 12:00:55 action 822: failed: Simulated failure.
    ! error: action 822 failed: Simulated failure.
    changing the password of database user app (action 822, failed): du7c2, application, uses shop_prod and shop_events
    = 9
  `,
    {},
    { replies: 'actions', failActions: true },
  ));

test('legacy: an acceptance is no end; with --wait that is seen in what changed, or not at all', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --wait
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL updated (info -> debug)
    Running code may see this only after the next deployment.
    $ stackops stack env unset CURRENCY -s shop -y --wait
    ! undo: stackops stack env set CURRENCY=EUR -s shop
    CURRENCY deleted (was EUR)
    Running code may see this only after the next deployment.
    $ stackops stack settings set git.branch=release -s shop --wait
    ! 12:00:00 the action: no effect seen yet
    ! 12:00:05 the action: seen in what it changed, its record cannot be read
    ! undo: stackops stack settings set git.branch=main -s shop
    git.branch updated (main -> release)
    $ stackops variant weight va-canary 25 -s shop --wait
    ! undo: stackops variant weight va-canary 10 -s shop
    variant va-canary updated (10 % -> 25 %)
    $ stackops variant delete va-preview -s shop -y --wait
    variant va-preview deleted (preview, 0 % of traffic, commit 1c2d3e4)
    $ stackops variant commit va-canary -s shop -y --wait
    variant va-canary committed (va-active, commit d8b847d -> va-canary, commit 9d4e1f7)
    $ stackops process scale web=3 -s shop --wait
    ! 12:00:05 the action: no effect seen yet
    ! 12:00:10 the action: seen in what it changed, its record cannot be read
    ! undo: stackops process scale web=2 -s shop
    process web updated (2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2)
    $ stackops server reboot shop-web-1 -s shop -y --wait
    ! 12:00:10 the reboot: started
    ! 12:00:15 the reboot: succeeded: Server shop-web-1 rebooted.
    server shop-web-1 rebooted (c1a7d3e95b2f4860a1b2c3d4e5f60718, web, healthy)
    $ stackops redeploy -s shop -y --wait
    ! 12:00:15 deployment 1042: queued
    ! 12:00:20 deployment 1042: success
    ! undo: stackops deployment rollback 1041 -s shop
    deployment 1042 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1041, commit d8b847d
    $ stackops backup create -s shop --db-type redis --wait
    ! 12:00:20 the backup: queued
    ! 12:00:25 the backup: backup 907 of redis shop_cache: ok
    backup 907 of redis shop_cache: ok
    $ stackops db user regenerate-password app -s shop --confirm app --wait
    ! 12:00:25 the action: its ID is unknown
    ! read its password, once it has finished: stackops db user list --show-password --reveal -s shop -g 21
    ! error: cannot tell whether the action finished: its ID is unknown
    changing the password of database user app (queued): du7c2, application, uses shop_prod and shop_events
    = 8
  `,
    {},
    { replies: 'legacy' },
  ));
