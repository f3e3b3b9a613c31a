import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('the facts of one cloud', transcriptFile);

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
