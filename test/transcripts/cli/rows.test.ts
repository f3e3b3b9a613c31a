import { expect, test } from 'vitest';
import { run } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('what was done is rows with --output tsv, and a sentence where that is only preferred', transcriptFile);

test('the same as CSV', async () => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };
  const out = async (words: string, terminal?: number) =>
    (await run(words.split(' '), { env, ...(terminal && { terminal }) })).stdout;
  expect(await out('variant weight va-canary 12 --output csv')).toBe(
    'uid,change,before,after,action,message,error\r\nva-canary,updated,10,12,,Variant va-canary receives 12% of the traffic,\r\n',
  );
  expect(await out('stack env set A=1 -s shop,blog/staging --output csv --columns stack,key,change')).toBe(
    'stack,key,change\r\nshop,A,created\r\nblog/staging,A,created\r\n',
  );
  expect(await out('config set timeout=60s --output csv')).toBe('name,value\r\ntimeout,60s\r\n');
  expect(await out('stack env get SMTP_PASSWORD --output csv', 80)).toMatch(
    /^key,value,[^\r]*\r\nSMTP_PASSWORD,sandbox-smtp-password,/,
  );
  expect(await out('tags set loadbalancer/3301 eu --output csv --fields x')).toBe('');
});

test('where there are no rows they are refused before anything is sent', transcriptFile);
test('every table has its columns, its order and its limit', transcriptFile);
test('the JSON behind a table that is no list has no order', transcriptFile);
test('sentences have no columns and no order; their JSON has', transcriptFile);
