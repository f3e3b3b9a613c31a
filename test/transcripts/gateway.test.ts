import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('gateways are listed', () =>
  transcript(`
    80$ stackops gateway list
    NAME       ADDRESS      PRIVATE IP  USERNAME  CLOSES  ID
    bastion-1  203.0.113.7  10.0.0.7    ops       in 8y    5
    bastion-2  203.0.113.8  10.0.0.8    ops       closed   6
    $ stackops gateway list -a 42 --columns id,name,ttl
    5⇥bastion-1⇥2035-01-01T00:00:00Z
    6⇥bastion-2⇥-
    $ stackops gateway list --json --fields name,content
    [{"name":"bastion-1","content":"[key stored]"},{"name":"bastion-2","content":""}]
    $ stackops gateway list -a 99
    ! error: access denied (403): the command needs the public scope: account 99 not found, or you have no access to it
    = 5
    $ stackops gateway list -s shop
    ! error: --stack does not apply: "gateway list" does not act on a stack
    ! hint: stackops gateway list
    = 2
  `));

test('a gateway is created, and its key is shown nowhere', () =>
  transcript(`
    $ stackops gateway create --name bastion-3 --address 203.0.113.9 --username ops --private-ip 10.0.0.9 --key-stdin --ttl 8h
    < the private key
    ! undo: stackops gateway delete bastion-3 -a 42
    gateway bastion-3 created (9, 203.0.113.9, open until 20:00 UTC (8h))
    $ stackops gateway list --columns name,address,username,private_ip,ttl
    bastion-1⇥203.0.113.7⇥ops⇥10.0.0.7⇥2035-01-01T00:00:00Z
    bastion-2⇥203.0.113.8⇥ops⇥10.0.0.8⇥-
    bastion-3⇥203.0.113.9⇥ops⇥10.0.0.9⇥2026-05-04T20:00:00Z
    $ stackops gateway create --name bastion-4 --key-stdin --ttl 90m --dry-run
    < the private key
    POST http://sandbox.localhost/api/3/accounts/42/gateways
    Content-Type: application/json

    {"name":"bastion-4","content":"***","ttl":5400}
    $ stackops gateway create --name bastion-4 --key-stdin --dry-run --json
    < the private key
    {"dry_run":true,"method":"POST","url":"http://sandbox.localhost/api/3/accounts/42/gateways","body":{"name":"bastion-4","content":"***"}}
    $ stackops gateway create --name bastion-4 --key-stdin --curl
    < the private key
    ! replace *** before you run it
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"name":"bastion-4","content":"***"}' 'http://sandbox.localhost/api/3/accounts/42/gateways'
    $ stackops gateway create --name bastion-4 --key-stdin --curl -q
    < the private key
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"name":"bastion-4","content":"***"}' 'http://sandbox.localhost/api/3/accounts/42/gateways'
    $ stackops gateway create --name bastion-4 --ttl 1h
    ! undo: stackops gateway delete bastion-4 -a 42
    gateway bastion-4 created (10, no address, open until 13:00 UTC (1h))
    $ stackops gateway create --address 203.0.113.9
    ! error: missing flag --name <name>: Name of the new gateway.
    ! hint: stackops gateway create --help
    = 2
    $ stackops gateway create --name ''
    ! error: --name must not be empty
    = 2
    $ stackops gateway create --name x --key-stdin
    <
    ! error: --key-stdin must not be empty
    = 2
    $ stackops gateway create --name x --key-stdin --key-file /dev/null
    < the private key
    ! error: use --key-file or --key-stdin, not both
    = 2
    $ stackops gateway create --name x --key-file /nowhere/bastion.pem
    ! error: cannot read /nowhere/bastion.pem: file not found
    = 2
    $ stackops gateway create --name x --key secret
    ! error: unknown option "--key"
    ! hint: stackops gateway create --help
    = 2
    $ stackops gateway create --name x --ttl soon
    ! error: --ttl must be a duration such as 90s, 5m, 8h or 7d, not "soon"
    = 2
    $ stackops gateway create --name x --ttl 8
    ! error: --ttl must be a duration such as 90s, 5m, 8h or 7d, not "8"
    ! hint: stackops gateway create --name x --ttl 8h
    = 2
    $ stackops gateway create --name x --ttl 400d
    ! error: --ttl must be between 0 and 31536000, not "400d"
    = 2
    $ STACKOPS_TOKEN=sandbox_public stackops gateway create --name x -a 42
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('a gateway is changed, with what was before and what is now', () =>
  transcript(`
    $ stackops gateway update bastion-2 --address 203.0.113.18 --username ops --key-stdin --ttl 8h
    < the private key
    ! undo: stackops gateway update 6 --address 203.0.113.8 --ttl 0 -a 42
    gateway bastion-2: address 203.0.113.8 -> 203.0.113.18
    gateway bastion-2: key replaced (no undo)
    gateway bastion-2: open until 20:00 UTC (8h)
    $ stackops gateway update 6 --name bastion-two --ttl 0 --json
    {"id":6,"name":"bastion-2","change":"updated","before":{"name":"bastion-2","ttl":"2026-05-04T20:00:00Z"},"after":{"name":"bastion-two","ttl":null},"action":null,"message":null,"error":null}
    $ stackops gateway update bastion-two --address 'x y' --username root --key-stdin
    < another key
    ! undo: stackops gateway update 6 --username ops --address 203.0.113.18 -a 42
    gateway bastion-two: username ops -> root
    gateway bastion-two: address 203.0.113.18 -> x y
    gateway bastion-two: key replaced (no undo)
    $ stackops gateway update 6 --address 203.0.113.18 --username ops -a 42 -q
    $ stackops gateway update 6 --name bastion-two --ttl 0
    gateway bastion-two unchanged
    $ stackops gateway update bastion-two --private-ip 10.0.0.18 --dry-run
    PUT http://sandbox.localhost/api/3/accounts/42/gateways/6
    Content-Type: application/json

    {"private_ip":"10.0.0.18"}
    $ stackops gateway update bastion-two --private-ip 10.0.0.18 -q
    $ stackops gateway list --columns id,name,address,private_ip,ttl
    5⇥bastion-1⇥203.0.113.7⇥10.0.0.7⇥2035-01-01T00:00:00Z
    6⇥bastion-two⇥203.0.113.18⇥10.0.0.18⇥-
    $ stackops gateway update bastion-2 --ttl 1h
    ! error: gateway "bastion-2" not found; did you mean "bastion-1"?
    ! hint: stackops gateway list -a 42
    = 3
    $ stackops gateway update bastion-1
    ! error: nothing to change: give --name, --username, --address, --private-ip, --key-file, --key-stdin or --ttl
    = 2
    $ stackops gateway update bastion-1 --name ' '
    ! error: --name must not be empty
    = 2
  `));

test('two gateways of one name are distinguished by their ids', () =>
  transcript(`
    $ stackops gateway create --name bastion-1 -q
    ! error: gateway "bastion-1" exists already; nothing was sent
    ! hint: stackops gateway list -a 42
    = 6
    $ stackops gateway update bastion-2 --name bastion-1 -q
    $ stackops gateway update bastion-1 --ttl 0
    ! error: 2 gateways are called "bastion-1": 5, 6
    ! hint: stackops gateway list -a 42
    = 3
    $ stackops gateway delete bastion-1 --confirm bastion-1
    ! error: 2 gateways are called "bastion-1": 5, 6
    ! hint: stackops gateway list -a 42
    = 3
    $ stackops gateway update 5 --ttl 0
    gateway bastion-1: closed (no undo)
  `));

test('a gateway is deleted by its typed name', () =>
  transcript(`
    80$ stackops gateway delete 5
    < bastion-2
    ! Delete gateway bastion-1 (203.0.113.7, open until 2035-01-01 00:00 UTC (8y))? Type bastion-1 to confirm:
    ! error: the name to type is bastion-1, not "bastion-2"; nothing was changed
    = 2
    80$ stackops gateway delete bastion-1
    <
    ! Delete gateway bastion-1 (203.0.113.7, open until 2035-01-01 00:00 UTC (8y))? Type bastion-1 to confirm:
    ! error: cancelled; nothing was changed
    = 1
    $ stackops gateway delete bastion-2 -y
    ! error: "gateway delete" needs --confirm bastion-2 (no terminal); nothing was changed
    ! hint: stackops gateway delete bastion-2 -y --confirm bastion-2
    = 2
    80$ stackops gateway delete bastion-1
    < bastion-1
    ! Delete gateway bastion-1 (203.0.113.7, open until 2035-01-01 00:00 UTC (8y))? Type bastion-1 to confirm:
    gateway bastion-1 deleted (5, 203.0.113.7, open until 2035-01-01 00:00 UTC (8y))
    $ stackops gateway delete bastion-2 --confirm bastion-2 --json
    {"id":6,"name":"bastion-2","change":"deleted","before":{"id":6,"name":"bastion-2","username":"ops","address":"203.0.113.8","private_ip":"10.0.0.8","ttl":null,"created_by":"ada@harbour.example","updated_by":"mara@harbour.example","created_at_iso":"2024-03-11T10:00:00Z","updated_at_iso":"2026-02-20T14:30:00Z"},"after":null,"action":null,"message":null,"error":null}
    $ stackops gateway list
    ! No gateways.
    $ stackops gateway delete bastion-2 --confirm bastion-2
    ! error: gateway "bastion-2" not found
    ! hint: stackops gateway list -a 42
    = 3
  `));

test('what undoes a new one whose name is the id of another names it by its own id', () =>
  transcript(`
    $ stackops gateway create --name 5 --address 203.0.113.9
    ! undo: stackops gateway delete 9 -a 42
    gateway 5 created (9, 203.0.113.9, closed)
  `));
