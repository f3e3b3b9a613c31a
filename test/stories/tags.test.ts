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
    ! error: not found: /tags/server/nope (404): there is no server "nope"
    = 3
    $ stackops tags list web
    ! error: "web" names no entity; write server/UID or loadbalancer/ID
    = 2
  `));

test('tags are replaced and patched', () =>
  transcript(`
    $ stackops tags set loadbalancer/3301 eu edge
    loadbalancer/3301 is tagged eu, edge
    $ stackops tags patch loadbalancer/3301 --add blue,green --delete eu
    loadbalancer/3301 is tagged edge, blue, green
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
    ! error: nothing to do: give --add, --delete, or both
    = 2
    $ stackops tags set loadbalancer/3301
    ! error: <TAG...> is missing in: stackops tags set <ENTITY> <TAG...>
    ! hint: stackops tags set --help
    = 2
    $ stackops tags set loadbalancer/3301 ''
    ! error: a tag must not be empty
    = 2
  `));

test('tags are cleared by the typed name of their entity', () =>
  transcript(`
    $ stackops tags clear loadbalancer/3301 -y
    ! error: Remove all tags of loadbalancer/3301 (edge) needs a confirmation, and there is no terminal to ask on; nothing was changed
    ! hint: stackops tags clear loadbalancer/3301 -y --confirm loadbalancer/3301
    = 2
    $ stackops tags clear loadbalancer/3301 --confirm loadbalancer/3302
    ! error: the typed name "loadbalancer/3302" is not "loadbalancer/3301"; nothing was changed
    = 2
    80$ stackops tags clear loadbalancer/3301
    < loadbalancer/3301
    ! Remove all tags of loadbalancer/3301 (edge)? Type loadbalancer/3301 to go ahead:
    loadbalancer/3301 has no tags
    $ stackops tags list loadbalancer/3301
    ! No tags.
    $ stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301 --json --fields tags
    {"tags":[]}
  `));
