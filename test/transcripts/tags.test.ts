import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('tags are listed', () =>
  transcript(`
    80$ stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    VALUE     RESERVED
    role:web  yes
    eu        no
    nightly   no
    $ stackops tags list loadbalancer/3301
    edge⇥no
    $ stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --json --fields tags.value
    {"tags":[{"value":"role:web"},{"value":"eu"},{"value":"nightly"}]}
    $ stackops tags list server/nope
    ! error: server/nope not found
    ! hint: to use the name of a server, also give its stack with -s
    = 3
    $ stackops tags list web
    ! error: give server/NAME, server/UID or loadbalancer/ID, not "web"
    ! hint: stackops tags list server/web
    = 2
  `));

test('tags are replaced and patched', () =>
  transcript(`
    $ stackops tags set loadbalancer/3301 eu edge
    ! undo: stackops tags set loadbalancer/3301 edge
    loadbalancer/3301 updated (edge -> eu, edge)
    $ stackops tags patch loadbalancer/3301 --add blue,green --delete eu
    ! undo: stackops tags patch loadbalancer/3301 --add eu --delete blue,green
    loadbalancer/3301 updated (eu, edge -> edge, blue, green)
    $ stackops tags patch loadbalancer/3301 --delete nope --add blue -q
    $ stackops tags list loadbalancer/3301
    edge⇥no
    blue⇥no
    green⇥no
    $ stackops tags patch loadbalancer/3301 --add a,b --delete edge --dry-run
    PATCH http://sandbox.localhost/api/3/tags/loadbalancer/3301
    Content-Type: application/json

    {"operations":[{"op":"delete","tags":["edge"]},{"op":"add","tags":["a","b"]}]}
    $ stackops tags patch loadbalancer/3301
    ! error: nothing to change: give --add, --delete or both
    = 2
    $ stackops tags set loadbalancer/3301
    ! error: missing argument <TAG...>
    ! hint: stackops tags set --help
    = 2
    $ stackops tags set loadbalancer/3301 ''
    ! error: <TAG...> must not be empty
    = 2
  `));

test('tags are cleared by the typed name of their entity', () =>
  transcript(`
    $ stackops tags clear loadbalancer/3301 -y
    ! error: "tags clear" needs --confirm loadbalancer/3301 (no terminal); nothing was changed
    ! hint: stackops tags clear loadbalancer/3301 -y --confirm loadbalancer/3301
    = 2
    $ stackops tags clear loadbalancer/3301 --confirm loadbalancer/3302
    ! error: --confirm must be loadbalancer/3301, not "loadbalancer/3302"; nothing was changed
    = 2
    80$ stackops tags clear loadbalancer/3301
    < loadbalancer/3301
    ! Remove all tags of loadbalancer/3301 (edge)? Type loadbalancer/3301 to confirm:
    ! undo: stackops tags set loadbalancer/3301 edge
    loadbalancer/3301 updated (edge -> no tags)
    $ stackops tags list loadbalancer/3301
    ! No tags.
    $ stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301 --json --fields change,before,after
    [{"change":"unchanged","before":[],"after":[]}]
    $ stackops tags clear loadbalancer/3301
    loadbalancer/3301 unchanged (no tags)
    $ stackops tags clear loadbalancer/3301 --dry-run
    loadbalancer/3301 unchanged (no tags)
  `));

test('what is so already is left alone, and what was there can be restored', () =>
  transcript(`
    $ stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 eu nightly role:web
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 unchanged (role:web, eu, nightly)
    $ stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu --delete nope --dry-run
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 unchanged (role:web, eu, nightly)
    $ stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu,new --delete nightly
    ! undo: stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add nightly --delete new
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, eu, nightly -> role:web, eu, new)
    $ stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add nightly --delete new
    ! undo: stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add new --delete nightly
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, eu, new -> role:web, eu, nightly)
    $ stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 'two words' eu
    ! undo: stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 role:web eu nightly
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, eu, nightly -> role:web, eu, two words)
    $ stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 eu --sandbox
    ! undo: stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 role:web eu 'two words' --sandbox
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, eu, two words -> role:web, eu)
  `));

test('several entities at once', () =>
  transcript(`
    80$ stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718,loadbalancer/3301
    ENTITY                                   VALUE     RESERVED
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718  role:web  yes
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718  eu        no
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718  nightly   no
    loadbalancer/3301                        edge      no
    $ stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718,loadbalancer/3301 --json --fields entity_id,tags.value,error
    [{"entity_id":"c1a7d3e95b2f4860a1b2c3d4e5f60718","tags":[{"value":"role:web"},{"value":"eu"},{"value":"nightly"}],"error":null},{"entity_id":"3301","tags":[{"value":"edge"}],"error":null}]
    $ stackops tags list loadbalancer/3301,server/nope
    ! error: server/nope failed: server/nope not found. loadbalancer/3301 succeeded.
    ! hint: to use the name of a server, also give its stack with -s
    loadbalancer/3301⇥edge⇥no
    = 1
    $ stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718,loadbalancer/3301 --add nightly
    ! undo: stackops tags patch loadbalancer/3301 --delete nightly
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 unchanged (role:web, eu, nightly)
    loadbalancer/3301 updated (edge -> edge, nightly)
    $ stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718,loadbalancer/3301,loadbalancer/3301 blue
    ! undo: stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 role:web eu nightly && stackops tags set loadbalancer/3301 edge nightly
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, eu, nightly -> role:web, blue)
    loadbalancer/3301 updated (edge, nightly -> blue)
    $ stackops tags set loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 blue --json --fields entity_type,change,after,error
    [{"entity_type":"loadbalancer","change":"unchanged","after":["blue"],"error":null},{"entity_type":"server","change":"unchanged","after":["role:web","blue"],"error":null}]
    $ stackops tags patch loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add green --dry-run
    PATCH http://sandbox.localhost/api/3/tags/loadbalancer/3301
    Content-Type: application/json

    {"operations":[{"op":"add","tags":["green"]}]}

    PATCH http://sandbox.localhost/api/3/tags/server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    Content-Type: application/json

    {"operations":[{"op":"add","tags":["green"]}]}
    $ stackops tags patch loadbalancer/3301,server/nope --add green
    ! error: server/nope not found
    ! hint: to use the name of a server, also give its stack with -s
    = 3
    $ stackops tags list loadbalancer/3301
    blue⇥no
    $ stackops tags set loadbalancer/3301, blue
    ! error: give server/NAME, server/UID or loadbalancer/ID, not ""
    = 2
    $ stackops tags clear loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 -y
    ! error: "tags clear" needs --confirm loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 (no terminal); nothing was changed
    ! hint: stackops tags clear loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 -y --confirm loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    = 2
    $ stackops tags clear loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --confirm loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    ! undo: stackops tags set loadbalancer/3301 blue && stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 role:web blue
    loadbalancer/3301 updated (blue -> no tags)
    server/c1a7d3e95b2f4860a1b2c3d4e5f60718 updated (role:web, blue -> role:web)
    $ stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301
    loadbalancer/3301 unchanged (no tags)
    $ stackops tags set loadbalancer/3301 edge
    ! undo: stackops tags clear loadbalancer/3301
    loadbalancer/3301 updated (no tags -> edge)
    $ stackops tags set loadbalancer/3301 blue --json
    [{"entity_type":"loadbalancer","entity_id":"3301","change":"updated","before":["edge"],"after":["blue"],"action":null,"message":null,"error":null}]
  `));

test('a server in a stack has a name', () =>
  transcript(`
    $ stackops tags list server/shop-web-1 -s shop
    role:web⇥yes
    eu⇥no
    nightly⇥no
    $ stackops tags patch server/shop-web-1 --add blue -s shop
    ! undo: stackops tags patch server/shop-web-1 --delete blue -s shop
    server/shop-web-1 updated (role:web, eu, nightly -> role:web, eu, nightly, blue)
    $ stackops tags list server/shop-web-9 -s shop
    ! error: server "shop-web-9" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
    80$ stackops tags clear server/shop-web-1 -s shop
    < server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    ! Remove all tags of server/c1a7d3e95b2f4860a1b2c3d4e5f60718 (eu, nightly, blue)? Type server/c1a7d3e95b2f4860a1b2c3d4e5f60718 to confirm:
    ! undo: stackops tags set server/shop-web-1 role:web eu nightly blue -s shop
    server/shop-web-1 updated (role:web, eu, nightly, blue -> role:web)
  `));

test('reserved tags stay, unless they are asked for and confirmed', () =>
  transcript(`
    $ stackops tags set server/shop-web-1 us -s shop --dry-run
    PATCH http://sandbox.localhost/api/3/tags/server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    Content-Type: application/json

    {"operations":[{"op":"delete","tags":["eu","nightly"]},{"op":"add","tags":["us"]}]}
    $ stackops tags set server/shop-web-1 us -s shop
    ! undo: stackops tags set server/shop-web-1 role:web eu nightly -s shop
    server/shop-web-1 updated (role:web, eu, nightly -> role:web, us)
    $ stackops tags set server/shop-web-1 role:web eu nightly -s shop
    ! undo: stackops tags set server/shop-web-1 role:web us -s shop
    server/shop-web-1 updated (role:web, us -> role:web, eu, nightly)
    $ stackops tags list server/shop-web-1 -s shop
    role:web⇥yes
    eu⇥no
    nightly⇥no
    $ stackops tags patch server/shop-web-1 --delete role:web,eu -s shop
    ! error: role:web is reserved; nothing was changed
    ! hint: stackops tags patch server/shop-web-1 --delete role:web,eu -s shop --include-reserved
    = 6
    $ stackops tags set server/shop-web-1 us --include-reserved -s shop
    ! error: "tags set" needs -y (no terminal); nothing was changed
    ! hint: stackops tags set server/shop-web-1 us --include-reserved -s shop -y
    = 2
    $ stackops tags set server/shop-web-1 role:web us --include-reserved -s shop --dry-run
    POST http://sandbox.localhost/api/3/tags/server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    Content-Type: application/json

    {"tags":["role:web","us"]}
    80$ stackops tags patch server/shop-web-1 --delete role:web --include-reserved -s shop
    < y
    ! Remove reserved tags of server/shop-web-1 (role:web; no undo)? [y/N]
    server/shop-web-1 updated (role:web, eu, nightly -> eu, nightly; no undo: role:web was reserved)
  `));

test('a tag with a comma is one tag in its undo, too', () =>
  transcript(`
    $ stackops tags add server/shop-web-1 a,b -s shop
    ! undo: stackops tags set server/shop-web-1 role:web eu nightly -s shop
    server/shop-web-1 updated (role:web, eu, nightly -> role:web, eu, nightly, a,b)
    $ stackops history undo -y
    ! undo: stackops tags set server/shop-web-1 role:web eu nightly a,b -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    server/shop-web-1 updated (role:web, eu, nightly, a,b -> role:web, eu, nightly)
    $ stackops tags set loadbalancer/3301 a,b --dry-run
    POST http://sandbox.localhost/api/3/tags/loadbalancer/3301
    Content-Type: application/json

    {"tags":["a,b"]}
  `));

test('tags are added and removed by name, and one command undoes it', () =>
  transcript(`
    $ stackops tags add server/shop-web-1,loadbalancer/3301 blue green -s shop
    ! undo: stackops tags patch server/shop-web-1 --delete blue,green -s shop && stackops tags patch loadbalancer/3301 --delete blue,green
    server/shop-web-1 updated (role:web, eu, nightly -> role:web, eu, nightly, blue, green)
    loadbalancer/3301 updated (edge -> edge, blue, green)
    $ stackops tags remove server/shop-web-1 blue nothing -s shop
    ! undo: stackops tags patch server/shop-web-1 --add blue -s shop
    server/shop-web-1 updated (role:web, eu, nightly, blue, green -> role:web, eu, nightly, green)
    $ stackops tags remove server/shop-web-1 role:web -s shop
    ! error: role:web is reserved; nothing was changed
    ! hint: stackops tags remove server/shop-web-1 role:web -s shop --include-reserved
    = 6
    $ stackops tags add server/shop-web-1 loadbalancer/3301 blue -s shop
    ! error: "loadbalancer/3301" is not a tag: separate several servers and load balancers with commas
    = 2
    $ stackops tags remove server/shop-web-1 server/shop-web-2 blue -s shop
    ! error: "server/shop-web-2" is not a tag: separate several servers and load balancers with commas
    = 2
    $ stackops tags add server/shop-web-1
    ! error: missing argument <TAG...>
    ! hint: stackops tags add --help
    = 2
  `));

test('a read takes patterns of servers, and each row names its server', () =>
  transcript(`
    $ stackops tags list 'server/shop-web-*,loadbalancer/3301' -s shop
    server/shop-web-1⇥role:web⇥yes
    server/shop-web-1⇥eu⇥no
    server/shop-web-1⇥nightly⇥no
    loadbalancer/3301⇥edge⇥no
    $ stackops tags list 'server/shop-db-?' -s shop --json --fields entity,entity_id
    [{"entity":"server/shop-db-1","entity_id":"e3c9f50b7d416a82c3d4e5f60718293a"}]
    $ stackops tags list 'server/*,server/shop-db-1,server/e3c9f50b7d416a82c3d4e5f60718293a' -s shop --json --jq '.[].entity'
    server/shop-web-1
    server/shop-web-2
    server/shop-db-1
    server/shop-worker-1
    $ stackops tags list 'server/shpo-*' -s shop
    ! error: no server matches "shpo-*"; similar names: shop-web-1, shop-web-2, shop-db-1
    ! hint: stackops server list -s shop
    = 3
    $ stackops tags list 'server/shop-*'
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops tags list 'server/shop-*' -s shop
    = 2
    $ stackops tags list 'loadbalancer/33*' -s shop
    ! error: give loadbalancer/ID, not "loadbalancer/33*": only names of servers may be patterns
    = 2
  `));

test('a change refuses a pattern of servers', () =>
  transcript(`
    $ stackops tags add 'server/shop-db-1,server/shop-web-*' blue -s shop
    ! error: "tags add" needs exact names, not "server/shop-web-*"; nothing was changed
    ! hint: use "tags list" to see which servers match
    = 2
    $ stackops tags clear 'server/?' -s shop --confirm x
    ! error: "tags clear" needs exact names, not "server/?"; nothing was changed
    ! hint: use "tags list" to see which servers match
    = 2
    $ stackops tags patch 'loadbalancer/3*' --add x --dry-run
    ! error: "tags patch" needs exact names, not "loadbalancer/3*"; nothing was changed
    ! hint: use "tags list" to see which servers match
    = 2
  `));
