import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ownEnvironment, programLine, runShell } from '../support/built.ts';
import { unchanged } from '../support/phrases.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const env = () => ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '', STACKOPS_STACK: 'shop' });
const drawn = /\d\d:\d\d:\d\d UTC, every 15s\. Press q to quit\./;

/** A line of bash whose last line says how the terminal was left. */
function checked(line: string): string {
  return `before=$(stty -g); ${line}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored`;
}

describe.skipIf(!hasProgram('script'))('status --watch in a terminal', () => {
  test('q ends it with 0', async () => {
    const terminal = openTerminal(checked('stackops status --watch'), env());
    await terminal.shows(drawn);
    terminal.type('q');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/Press q to quit\.\r\ncode 0\r\nrestored\r\n$/);
    // A cursor that was never hidden needs nobody to show it.
    expect(screen).not.toContain('\x1b[?25');
  });

  test('Ctrl-C ends it by the signal, and with it the loop around it', async () => {
    const restored = `trap '[ "$before" = "$(stty -g)" ] && echo restored' EXIT`;
    const loop = `before=$(stty -g); ${restored}; while :; do stackops status --watch; done`;
    const terminal = openTerminal(loop, env());
    await terminal.shows(drawn);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(plain(screen).match(/Press q to quit/g)).toHaveLength(1);
    expect(plain(screen)).toMatch(/error: interrupted;.*\r\nrestored\r\n$/);
    expect(code).toBe(130);
  });

  test('other keys do nothing', async () => {
    const terminal = openTerminal(checked('stackops status --watch'), env());
    await terminal.shows(drawn);
    for (const keys of ['x', '\r', '\x1b[A', '\x1bOq', '\x1a']) terminal.type(keys);
    terminal.type('q');
    expect(plain((await terminal.ended).screen)).toMatch(/code 0\r\nrestored\r\n$/);
  });

  test.each([
    ['q', '\x1b[Aq', 'code 0'],
    ['Ctrl-C', `\x1bOq\x1b[1;5B${ctrlC}`, 'code 130'],
  ])('%s ends it also right behind another key', async (_, keys, code) => {
    const terminal = openTerminal(checked('trap : INT; stackops status --watch'), env());
    await terminal.shows(drawn);
    terminal.type(keys);
    expect(plain((await terminal.ended).screen)).toContain(`${code}\r\nrestored\r\n`);
  });

  test('a resize draws it from the top, in the new size', async () => {
    const go = join(temporaryFolder(), 'go');
    execFileSync('mkfifo', [go]);
    const resize = `{ read -r size <'${go}'; stty -F /dev/tty $size; } &`;
    const terminal = openTerminal(`${resize} ${checked('stackops status --watch')}`, env());
    await terminal.shows(drawn);
    writeFileSync(go, 'rows 12 cols 60\n');
    // The rows change before the columns do.
    const frameOf60 = /\x1b\[H(?:(?!\x1b\[H)[\s\S])* by\r\n(?:(?!\x1b\[H)[\s\S])*to quit\.\r\n/;
    const [frame] = await terminal.shows(frameOf60);
    const lines = plain(frame).trimEnd().split('\r\n');
    expect(lines.at(0)).toBe('Stack        shop/production  deployed');
    expect(lines.at(-3)).toMatch(/^\d+ more lines do not fit$/);
    expect(lines.length).toBe(11);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    terminal.type('q');
    expect(plain((await terminal.ended).screen)).toMatch(/code 0\r\nrestored\r\n$/);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s restores the terminal', async (signal) => {
    const file = join(temporaryFolder(), 'pid');
    const line = `sh -c 'echo $$ >"${file}"; exec "$@"' sh ${programLine} status --watch`;
    const terminal = openTerminal(checked(line), env());
    await terminal.shows(drawn);
    process.kill(Number(readFileSync(file, 'utf8')), signal);
    const codes = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 };
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain(`error: interrupted${unchanged}\r\n`);
    expect(plain(screen)).toMatch(new RegExp(`code ${codes[signal]}\\r\\nrestored\\r\\n$`));
  });

  test('a window that is closed ends it', async () => {
    const terminal = openTerminal('stackops status --watch', env());
    await terminal.shows(drawn);
    terminal.close();
    await terminal.left;
  });

  test('an error restores the terminal', async () => {
    const terminal = openTerminal(checked('stackops status --watch'), { ...env(), STACKOPS_TOKEN: 'sandbox_unknown' });
    expect(plain((await terminal.ended).screen)).toMatch(/error: .*\r\n[\s\S]*code 4\r\nrestored\r\n$/);
  });

  test('without a terminal on stdin no key is read', async () => {
    const terminal = openTerminal('stackops status --watch </dev/null', env());
    await terminal.shows(/UTC, every 15s\. Press Ctrl-C to quit\./);
    terminal.type('q');
    terminal.type(ctrlC);
    expect((await terminal.ended).code).toBe(130);
  });

  test('a terminal that cannot be redrawn gets lines', async () => {
    const terminal = openTerminal(checked('TERM=dumb stackops status --watch'), env());
    await terminal.shows(/Z\tstack\tshop\/production\t-\tdeployed\r\n/);
    terminal.type(ctrlC);
    const { screen } = await terminal.ended;
    expect(screen).not.toContain('\x1b');
  });
});

test('a reader that has gone ends it with the next change', async () => {
  const reader = '{ head -1; exec <&-; stackops redeploy -y >/dev/null; }';
  const { stdout } = await runShell(`stackops status --watch --every 10s | ${reader}; echo "$PIPESTATUS"`, env());
  expect(stdout).toMatch(/^\S+Z\tstack\tshop\/production\t-\tdeployed\n0\n$/);
});
