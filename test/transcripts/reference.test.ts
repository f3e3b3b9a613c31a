import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('the facts of one cloud', () =>
  transcript(`
    $ stackops reference clouds --cloud hetzner
    cx22⇥2 vCPU, 4 GB RAM⇥size⇥hetzner
    cx32⇥4 vCPU, 8 GB RAM⇥size⇥hetzner
    fsn1⇥Falkenstein⇥region⇥hetzner
    hel1⇥Helsinki⇥region⇥hetzner
    $ stackops reference clouds --cloud hetzner --json
    {"sizes":{"cx22":"2 vCPU, 4 GB RAM","cx32":"4 vCPU, 8 GB RAM"},"regions":{"fsn1":"Falkenstein","hel1":"Helsinki"}}
    $ stackops reference clouds --cloud hetznr
    ! error: --cloud must be one of aws, azure_rm, digitalocean, googlecloud, hetzner, linode, ovh, vultr, not "hetznr"
    ! hint: stackops reference clouds --cloud hetzner
    = 2
    $ stackops reference clouds --filter size
    ! error: --filter must be one of clouds, clouds_full, regions, regions_full, sizes, sizes_full, not "size"
    ! hint: stackops reference clouds --filter sizes
    = 2
  `));

test('the modules of the web server', () =>
  transcript(`
    100$ stackops reference webserver-modules
    KEY           NAME          VERSION  DESCRIPTION
    geoip2        GeoIP2        3.4      Looks up the country of a visitor.
    headers_more  Headers More  0.37     Sets and clears request and response headers.
    brotli        Brotli        1.0.0rc  Compresses responses with Brotli.
    $ stackops reference webserver-modules -q
    geoip2
    headers_more
    brotli
  `));
