import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('what was done to a stack', () =>
  transcript(`
    $ stackops action list -s shop
    811⇥deploy⇥stack⇥2026-04-14T09:30:00Z⇥2026-04-14T09:34:10Z⇥yes⇥Deployed.
    810⇥database_user_create⇥database_user⇥2025-06-18T13:04:58Z⇥2025-06-18T13:05:00Z⇥yes⇥Database user analytics created.
    100$ stackops action list -s shop
     ID  ACTION            RESOURCE TYPE  STARTED AT     FINISHED AT    FINISHED SUCCE…  FINISHED MESSA…
    811  deploy            stack          20 days ago    20 days ago    yes              Deployed.
    810  database_user_c…  database_user  10 months ago  10 months ago  yes              Database user …
    $ stackops action get 811 -s shop
    ID:⇥811
    Action:⇥deploy
    User:⇥mara@harbour.example
    Resource type:⇥stack
    Resource ID:⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    Started via:⇥api
    Started at:⇥2026-04-14T09:30:00Z
    Finished at:⇥2026-04-14T09:34:10Z
    Finished success:⇥yes
    Finished message:⇥Deployed.
    Metadata:⇥{"user_reference":"ci-4710"}
    $ stackops action get 9 -s shop
    ! error: this service does not offer "GET /stacks/:stack_id/actions/:id", or has no /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/actions/9 (404): there is no action 9
    ! hint: stackops action list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 3
  `));
