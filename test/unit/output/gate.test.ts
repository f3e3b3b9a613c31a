import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printError } from '../../../src/cli/report.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { writeStderrLine } from '../../../src/output/progress.ts';
import { watchedGate } from '../../support/gate.ts';
import { property } from '../../support/property.ts';

type Shown = (text: string) => Promise<string>;

/** Every way from a text to a person. */
const ways: Readonly<Record<string, Shown>> = {
  'a line on stderr': (text) => errAfter((gate) => gate.err.lines([text])),
  'a labelled line': (text) => errAfter((gate) => gate.err.lines([{ label: 'error:', text }])),
  'a line that is drawn again': async (text) =>
    (await errAfter((gate) => gate.err.redraw(text))).replace(/^\r\x1b\[K/, ''),
  'a notice': async (text) => {
    const gate = watchedGate({ terminal: true, env: { TERM: 'xterm' } });
    await gate.err.notice(text);
    const [, inNine, inOther] =
      /^\x07\x1b\]9;stackops (.*)\x07\x1b\]777;notify;stackops;([^;]*)\x07$/s.exec(gate.shown().err) ?? [];
    return `${inNine}${inOther}`;
  },
  'a warning': (text) => errAfter((gate) => writeStderrLine(gate.err, 'warning', text, false)),
  'a note': (text) => errAfter((gate) => writeStderrLine(gate.err, 'note', text, false)),
  'a warning as JSON': (text) => errAfter((gate) => writeStderrLine(gate.err, 'warning', text, true)),
  'an error': (text) => errAfter((gate) => printError(error(text), { json: false, colour: false }, gate.err)),
  'an error as JSON': (text) => errAfter((gate) => printError(error(text), { json: true, colour: false }, gate.err)),
  'a question': (text) => errAfter((gate) => gate.ask(text)),
  'a spinner': async (text) => watchedGate().err.visible(text),
  'a sentence on stdout': (text) => outAfter((gate) => gate.out.lines([text])),
  'a table': (text) => outAfter((gate) => gate.out.drawn(text.replaceAll('\n', ''))),
  'a frame': async (text) =>
    (await outAfter((gate) => gate.out.redraw([text.replaceAll('\n', '')], false)))
      .replace(/^\x1b\[\?7l\r\x1b\[K/, '')
      .replace(/\n\x1b\[J\x1b\[\?7h$/, ''),
  'data on a terminal': (text) => outAfter((gate) => gate.out.data(text.replaceAll(/[\t\n]/g, ''))),
};

type SafeOutput = ReturnType<typeof watchedGate>;

async function errAfter(act: (gate: SafeOutput) => Promise<unknown>): Promise<string> {
  const gate = watchedGate({ terminal: true });
  await act(gate);
  return gate.shown().err;
}

async function outAfter(act: (gate: SafeOutput) => Promise<unknown>): Promise<string> {
  const gate = watchedGate({ terminal: true });
  await act(gate);
  return gate.shown().out;
}

function error(text: string): CliError {
  return new CliError('rejected', text, { hint: text, operation: text, extra: { check: text } });
}

/** By code point, independent of the Unicode properties that the code asks for. */
const steering =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/u;

function expectHarmless(shown: string, text: string): void {
  if (steering.test(shown) || !shown.isWellFormed()) throw new Error(JSON.stringify(text));
}

const everyCodePoint = Array.from({ length: 0x110000 / 256 }, (_, page) =>
  String.fromCodePoint(...Array.from({ length: 256 }, (__, at) => page * 256 + at)),
);

describe.each(Object.entries(ways))('%s', (_, way) => {
  test('no code point of Unicode steers a terminal or hides', async () => {
    for (const text of everyCodePoint) {
      // A colour of ours is a colour in a table; the rest of the escape characters are shown.
      expectHarmless(await way(text), text);
    }
  });

  property(
    'nor does any text',
    [fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes))],
    async (text) => expectHarmless((await way(text)).replaceAll(/\x1b\[\d{1,3}m/g, ''), text),
    [['web\r\x1b[2Kdb'], ['\x1b]52;c;aGk=\x07'], ['\x9b31m'], ['\u202e']],
  );

  test('a text is one line', async () => {
    const shown = await way('one\nerror: two');
    expect(
      shown
        .trimEnd()
        .split('\n')
        .filter((line) => line.startsWith('error: two')),
    ).toEqual([]);
  });
});

test('no line of a server passes for one of ours', async () => {
  expect(await outAfter((gate) => gate.out.lines(['a\nb', 'c']))).toBe('a\\nb\nc\n');
});

test('the colours of a table stay, and nothing else that begins as they do', async () => {
  expect(await outAfter((gate) => gate.out.drawn('\x1b[32mok\x1b[39m  \x1b[2Jx\n'))).toBe(
    '\x1b[32mok\x1b[39m  \\x1b[2Jx\n',
  );
});

test('data in a pipe is as it is', async () => {
  const gate = watchedGate();
  await gate.out.data('{"a":"\x9b"}\r\n');
  expect(gate.shown().out).toBe('{"a":"\x9b"}\r\n');
});

test('credentials of the environment, and what is typed unseen, are shown nowhere', async () => {
  const gate = watchedGate({ env: { STACKOPS_TOKEN: 'hunter22', STACKOPS_CLIENT_SECRET: 'sesame33' } });
  gate.redactor.hide('device44');
  await gate.err.lines(['hunter22', { label: 'error:', text: 'sesame33' }]);
  await gate.err.json({ a: ['device44"'], b: { c: 'x\\hunter22\\' } });
  await gate.ask('hunter22? ');
  await gate.out.lines(['sesame33']);
  expect(gate.shown()).toEqual({
    out: '***\n',
    err: '***\nerror: ***\n{"a":["***\\""],"b":{"c":"x\\\\***\\\\"}}\n***? ',
  });
});

test('the sign-in address is shown whole, whatever stands in it', async () => {
  const address = 'https://host.example/oauth/authorize?client_id=application';
  const gate = watchedGate();
  gate.redactor.hide('application');
  await gate.err.address(new URL(address));
  expect(gate.shown().err).toBe(`${address}\n`);
});
