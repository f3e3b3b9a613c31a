import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultOf, printedLines } from '../support/printed-commands.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

/** The tests' own guard: a printed command that does not work is found, wherever it is printed. */

const account = { path: 'account list' };

/** A journal of one change, with these commands for its check and its undo; at the sandbox, or at a service. */
function journalOf(check: object, undo: object, address?: string): Readonly<Record<string, string>> {
  const state = temporaryFolder();
  const stamp = { id: 'a', at: '2026-05-04T11:00:00.000Z' };
  const sent = { event: 'sent', ...stamp, profile: 'default', command: ['api'], operation: 'POST /x', method: 'POST' };
  const events = [
    { ...sent, path: '/x', check, pid: 1, ...(address !== undefined && { address }) },
    { event: 'answered', ...stamp, outcome: 'done' },
    { event: 'undoable', ...stamp, undo: [undo] },
  ];
  mkdirSync(join(state, 'stackops'));
  const file = join(state, 'stackops', address === undefined ? 'journal-sandbox.jsonl' : 'journal.jsonl');
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''), { mode: 0o600 });
  return {
    XDG_STATE_HOME: state,
    ...(address === undefined ? { STACKOPS_SANDBOX: '1' } : { STACKOPS_BASE_URL: address }),
  };
}

const address = 'https://c66.example/api/3';
const places = { 'of the sandbox': undefined, 'of a service': address };
const outputs: Readonly<Record<string, readonly [readonly string[], number?]>> = {
  'as text': [['history', 'show', '1']],
  'on a terminal': [['history', 'show', '1', '--color', 'always'], 200],
  'as JSON': [['history', 'list', '--json']],
  'as JSON on a terminal': [['history', 'show', '1', '--json'], 200],
};
const bad = { path: 'account lst' };

test.each(Object.entries(places))('a bad check or undo in a record %s is found in every output', async (_, at) => {
  for (const [words, terminal] of Object.values(outputs)) {
    const shown = (env: Readonly<Record<string, string>>) => run(words, { env, ...(terminal && { terminal }) });
    await expect(shown(journalOf(bad, account, at)), `${words}`).rejects.toThrow('stackops account lst');
    await expect(shown(journalOf(account, bad, at)), `${words}`).rejects.toThrow('stackops account lst');
    const { code, stdout } = await shown(journalOf(account, account, at));
    expect([code, stdout.includes('stackops account list')], `${words}`).toEqual([0, true]);
  }
});

test('every labelled command is collected, plain, painted and as JSON', () => {
  const line = "stackops tags set server/a 'it'\\''s'";
  const json = JSON.stringify({ error: { hint: line } });
  const indented = JSON.stringify({ error: { hint: line } }, undefined, 2);
  for (const stderr of [`hint: ${line}\n`, `undo: ${line}\n`, `read it: ${line}\n`, `\x1b[2mhint:\x1b[22m ${line}\n`])
    expect(printedLines({ stdout: '', stderr }), stderr).toEqual([line]);
  for (const stdout of [json, indented, `Undo:  ${line}\n`, `\x1b[1mCheck:\x1b[22m\t${line}\n`])
    expect(printedLines({ stdout, stderr: '' }), stdout).toEqual([line]);
});

test.each([
  ['stackops variant list -s <stack>', [], 'holds a placeholder'],
  ["stackops tags set server/a ''\\''<tag'", [], undefined],
  ["stackops tags set server/a 'b", [], 'is no line of sh'],
  ['stackops account lst', [], 'unknown'],
  ['stackops account list && stackops account lst', [], 'unknown'],
  ['stackops variant list', ['variant', 'list', '-s', 'shop'], 'names no stack'],
  ['stackops account list', ['account', 'list', '--sandbox'], 'leaves the sandbox'],
  ['stackops account list', ['account', 'list', '--base-url', address], 'names no service'],
  ['stackops account list', ['account', 'list'], undefined],
  ['ask whoever runs the service', [], undefined],
])('%s after %j', async (line, argv, fault) => {
  const found = await faultOf(line, argv);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});
