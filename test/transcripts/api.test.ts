import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('any endpoint is read, wrapper included', () =>
  transcript(`
    $ stackops api /reference/webserver_modules
    {"response":{"geoip2":{"name":"GeoIP2","description":"Looks up the country of a visitor.","version":"3.4"},"headers_more":{"name":"Headers More","description":"Sets and clears request and response headers.","version":"0.37"},"brotli":{"name":"Brotli","description":"Compresses responses with Brotli.","version":"1.0.0rc"}}}
    80$ stackops api /reference/clouds -f cloud=hetzner -f filter=regions
    ! error: not found: /reference/clouds (404): POST /reference/clouds not found
    ! hint: stackops api --list
    {
      "error": "not_found",
      "error_description": "The resource does not exist or is not accessible.",
      "details": "POST /reference/clouds not found"
    }
    = 3
    80$ stackops api GET /reference/clouds -f cloud=hetzner -f filter=regions
    {
      "response": [
        "fsn1",
        "hel1"
      ]
    }
    $ stackops api /stacks/{stack}/deployments --paginate --limit 2 --json --fields id,outcome.meaning -s shop
    [{"id":1041,"outcome":{"meaning":"success"}},{"id":1040,"outcome":{"meaning":"success"}}]
    $ stackops api /nothing/here
    ! error: not found: /nothing/here (404): GET /nothing/here not found
    ! hint: stackops api --list
    {"error":"not_found","error_description":"The resource does not exist or is not accessible.","details":"GET /nothing/here not found"}
    = 3
    $ stackops api /stacks/{stack}/servers
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops stack list
    = 2
  `));

test('and changed', () =>
  transcript(`
    $ stackops api PUT /stacks/{stack}/environments/LOG_LEVEL -f value=trace -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL
    Content-Type: application/json

    {"value":"trace"}
    $ stackops stack env get LOG_LEVEL -s shop
    info
    $ stackops api PUT /stacks/{stack}/application_variants/va-canary -f operation=percentage -F canary_percentage=30 -s shop
    {"response":{"ok":true,"message":"Variant va-canary receives 30% of the traffic"}}
    $ stackops api PUT /stacks/{stack}/application_variants/va-canary -f operation=percentage -F canary_percentage=300 -s shop
    ! error: the service refused the request (400): parameter "canary_percentage" must be from 0 to 100; got 300
    {"error":"bad_request","error_description":"The request is invalid.","details":"parameter \\"canary_percentage\\" must be from 0 to 100; got 300"}
    = 6
    $ stackops variant list -s shop --columns uid,percentage
    va-active⇥100
    va-canary⇥30
    va-preview⇥0
  `));

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
