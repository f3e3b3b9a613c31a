import { expect, test } from 'vitest';
import { printError } from '../../../src/cli/report.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { watchedGate } from '../../support/gate.ts';

const text = { json: false, colour: false };
const json = { json: true, colour: false };

async function errorText(error: CliError, view: Parameters<typeof printError>[1]): Promise<string> {
  const { err, shown } = watchedGate();
  await printError(error, view, err);
  return shown().err;
}

test('an error and its hint', async () => {
  const error = new CliError('not_found', 'stack "shpo" not found', { hint: 'stackops stack list' });
  expect(await errorText(error, text)).toBe('error: stack "shpo" not found\nhint: stackops stack list\n');
});

test('only the label is coloured', async () => {
  expect(await errorText(new CliError('usage', 'no'), { json: false, colour: true })).toBe(
    '\x1b[31merror:\x1b[39m no\n',
  );
});

test('text of the service cannot steer the terminal nor pass for a line of ours', async () => {
  const error = new CliError('rejected', 'bad\x1b]0;x\x07\nhint: rm -rf /', { hint: 'one\ntwo' });
  expect(await errorText(error, text)).toBe('error: bad\\x1b]0;x\\x07\n       hint: rm -rf /\nhint: one\n      two\n');
});

test('a line ends after 500 characters', async () => {
  expect(await errorText(new CliError('rejected', 'x'.repeat(900)), text)).toBe(`error: ${'x'.repeat(499)}…\n`);
  expect(await errorText(new CliError('rejected', 'x'.repeat(900)), json)).toContain(`"message":"${'x'.repeat(499)}…"`);
});

test('JSON has every key, in one line', async () => {
  expect(await errorText(new CliError('usage', 'no "such" flag'), json)).toBe(
    '{"error":{"code":"usage","message":"no \\"such\\" flag","status":null,"hint":null,"exit_code":2,"operation":null,"request_id":null}}\n',
  );
});

test('JSON carries what is known, and facts after it that replace nothing', async () => {
  const error = new CliError('outcome_unknown', 'no answer\x1b', {
    hint: 'stackops stack env get A',
    status: 504,
    operation: 'environments.update',
    requestId: 'r-1',
    extra: { request_sent: true, attempts: 1, code: 'mine' },
  });
  expect(await errorText(error, json)).toBe(
    '{"error":{"code":"outcome_unknown","message":"no answer\\u001b","status":504,"hint":"stackops stack env get A",' +
      '"exit_code":11,"operation":"environments.update","request_id":"r-1","request_sent":true,"attempts":1}}\n',
  );
});
