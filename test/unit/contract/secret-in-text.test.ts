import { expect, test } from 'vitest';
import { maskSecretsInText, suggestsSecret } from '../../../src/contract/values/text.ts';

test.each([
  ['run --password=hunter2 -p 80', 'run --password=*** -p 80'],
  ['run --password="hunter 2" -q', 'run --password=*** -q'],
  ["run --password='hunter 2' -q", 'run --password=*** -q'],
  [String.raw`"run --password=\"hunter 2\" -q"`, '"run --password=*** -q"'],
  [String.raw`run --token=a\ b\"c -q`, 'run --token=*** -q'],
  ['DB_PASS=x1 MYSQL_PWD=x2 run', 'DB_PASS=*** MYSQL_PWD=*** run'],
  ['--secret-key=k --api_key=k --private-key=k', '--secret-key=*** --api_key=*** --private-key=***'],
  ['https://a.example/?token=abc&user=me', 'https://a.example/?token=***&user=me'],
  ['Server=db;Pwd=a,b;Database=shop', 'Server=db;Pwd=***;Database=shop'],
  ['password=ab,cd', 'password=***'],
  ['password=*x8', 'password=***'],
  ['redis://app:pw@cache.example', 'redis://***@cache.example'],
])('%s has a secret', (text, masked) => {
  expect(maskSecretsInText(text)).toBe(masked);
  expect(suggestsSecret('TEXT', text)).toBe(true);
});

test.each([
  'password=***',
  'API_TOKEN=<value>',
  'use_token=false',
  '--bypass=1 compass=north',
  'max_tokens=5',
  'password: see the wiki',
  'https://public@errors.example/7',
])('%s has none', (text) => {
  expect(maskSecretsInText(text)).toBe(text);
  expect(suggestsSecret('TEXT', text)).toBe(false);
});
