import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('what was done to a stack', () =>
  transcript(`
    $ stackops action list -s shop
    811⇥deploy⇥2026-04-14T09:30:00Z⇥yes⇥Deployed.⇥2026-04-14T09:34:10Z⇥stack
    810⇥database_user_create⇥2025-06-18T13:04:58Z⇥yes⇥Database user analytics created.⇥2025-06-18T13:05:00Z⇥database_user
    100$ stackops action list -s shop
     ID  ACTION                STARTED   SUCCEEDED  MESSAGE                  FINISHED  RESOURCE
    811  deploy                20d ago   yes        Deployed.                20d ago   stack
    810  database_user_create  319d ago  yes        Database user analytics  319d ago  database_us…
                                                    created.
    $ stackops action get 811 -s shop
    ID:⇥811
    Action:⇥deploy
    User:⇥mara@harbour.example
    Resource type:⇥stack
    Resource ID:⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    Started via:⇥api
    Started:⇥2026-04-14T09:30:00Z
    Finished:⇥2026-04-14T09:34:10Z
    Succeeded:⇥yes
    Message:⇥Deployed.
    Metadata:⇥{"user_reference":"ci-4710"}
    $ stackops action get 9 -s shop
    ! error: action 9 not found in shop/production, or this service does not show single actions (404)
    ! hint: stackops action list -s shop
    = 3
  `));

test('action wait ends as the action does', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y -q --git-ref broken
    $ stackops action wait 812 -s shop --wait-timeout 2s
    ! 12:00:00 action 812: queued
    ! 12:00:02 action 812: started
    ! error: action 812 has not finished after 2s (started); it continues
    ! hint: stackops action wait 812 -s shop
    action 812 (deploy of stack) started
    = 8
    $ stackops action wait 812 -s shop
    ! 12:00:02 action 812: started
    ! 12:00:07 action 812: succeeded: Deployed.
    action 812 (deploy of stack) succeeded: Deployed.
    $ stackops action wait 812 -s shop --json --fields id,finished_success
    {"id":812,"finished_success":true}
    $ stackops action wait 813 -s shop --json --fields id,finished_success
    ! {"error":{"code":"operation_failed","message":"action 813 failed: The build failed.","status":null,"hint":null,"exit_code":9,"operation":null,"request_id":null}}
    {"id":813,"finished_success":false}
    = 9
    $ stackops action wait 811 -s shop -q
    $ stackops action wait 9 -s shop
    ! error: action 9 not found in shop/production, or this service does not show single actions (404)
    ! hint: stackops action list -s shop
    = 3
  `));
