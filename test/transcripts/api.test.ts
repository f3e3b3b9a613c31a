import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('any endpoint is read, wrapper included', transcriptFile);
test('and changed', transcriptFile);

test('the endpoints are listed', () =>
  transcript(`
    80$ stackops api --list --limit 3
    ! 3 of 66 endpoints.
    METHOD  PATH           SCOPE  PURPOSE
    GET     /accounts      users  List the accounts you belong to.
    GET     /accounts/:id  users  Show one account.
    POST    /accounts/otp  users  Print a one-time password for client login.
    $ stackops api --list --limit 1 --json
    [{"method":"GET","path":"/accounts","scope":"users","purpose":"List the accounts you belong to."}]
  `));

test('what is not found is hinted with the list of its kind, or of the endpoints', () =>
  transcript(`
    $ stackops api /stacks/{stack}/deployments/999 -s shop
    ! error: not found: /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments/999 (404): deployment 999 not found
    ! hint: stackops deployment list -s shop
    {"error":"not_found","error_description":"The resource does not exist or is not accessible.","details":"deployment 999 not found"}
    = 3
    $ stackops api /stacks/00000000000000000000000000000000/deployments/999
    ! error: not found: /stacks/00000000000000000000000000000000/deployments/999 (404): stack "00000000000000000000000000000000" not found
    ! hint: stackops deployment list -s 00000000000000000000000000000000
    {"error":"not_found","error_description":"The resource does not exist or is not accessible.","details":"stack \\"00000000000000000000000000000000\\" not found"}
    = 3
  `));
