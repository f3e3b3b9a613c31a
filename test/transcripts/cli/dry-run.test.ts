import { test } from 'vitest';
import { transcript, transcriptFile } from '../../support/transcript.ts';

test('--dry-run prints the request and sends nothing', transcriptFile);

test('--curl prints a line that a shell takes', () =>
  transcript(String.raw`
    $ stackops stack env set 'A=it'\''s "$HOME"' -s shop --curl
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"key":"A","value":"it'\''s '\\'"$HOME'\\'""}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments'
    $ stackops redeploy -s shop -y -q
    $ stackops deployment cancel 1042 -s shop --curl
    curl --fail-with-body -X DELETE -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments/1042'
  `));
