import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEnvironment } from '../../support/built.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/stackops.ts';
import { ctrlC, openTerminal } from '../../support/terminal.ts';
import { screenOf } from '../../support/tmux.ts';

const env = () => ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '', STACKOPS_STACK: 'shop' });
const ramp = 'stackops variant ramp --steps 25,100 --interval 200ms --initial-delay 0s -y';
const share = `stackops variant list --json --jq '.[]|select(.variant_type=="canary").percentage' 2>/dev/null`;

/** The ramp, its exit code, how the terminal was left, and the share that the service shows. */
const checked = (words: string) =>
  `before=$(stty -g); ${ramp} ${words}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored; ${share}`;

describe.skipIf(!hasProgram('script'))('a ramp in a terminal', () => {
  test('shows one line while it soaks; Ctrl-C asks, and the answer is carried out before the signal', async () => {
    const terminal = openTerminal(`trap '' INT; ${checked('--every 60s --check true')}`, env());
    await terminal.shows(/va-canary 25 % {2}\[\.{10}\] {2}\d+s left {2}true \d+ good/);
    terminal.type(ctrlC);
    await terminal.shows(/Pause or abort the ramp\? \[P\/a\] /);
    terminal.type('a\r');
    const screen = plain((await terminal.ended).screen);
    expect(screen).toContain('error: aborted (SIGINT): va-canary has 0 %');
    expect(screen).toMatch(/code 130\r\nrestored\r\n0\r\n$/);
  });

  test('a second Ctrl-C pauses at once', async () => {
    const terminal = openTerminal(`trap '' INT; ${checked('--every 60s --check true')}`, env());
    await terminal.shows(/true \d+ good/);
    terminal.type(ctrlC);
    await terminal.shows(/Pause or abort the ramp\? \[P\/a\] /);
    terminal.type(ctrlC);
    const screen = plain((await terminal.ended).screen);
    expect(screen).toContain('error: paused (SIGINT): va-canary keeps 25 %');
    expect(screen).toMatch(/code 130\r\nrestored\r\n25\r\n$/);
  });

  test('a question before a step is answered by a check that fails meanwhile', async () => {
    const gate = join(temporaryFolder(), 'gate');
    writeFileSync(gate, '');
    const terminal = openTerminal(checked(`--every 1s --confirm-steps --check 'test -e ${gate}'`), env());
    await terminal.shows(/Set va-canary to 100 %\? \[y\/N\] /);
    rmSync(gate);
    const screen = plain((await terminal.ended).screen);
    expect(screen).toMatch(/error: check test failed \(step 1 of 2, 25 %\): exit code 1;\s+va-canary has 0 %/);
    expect(screen).toMatch(/code 9\r\nrestored\r\n0\r\n$/);
  });

  test('a question that is answered with yes goes on', async () => {
    const terminal = openTerminal(checked('--every 1s --confirm-steps --check true'), env());
    await terminal.shows(/Set va-canary to 100 %\? \[y\/N\] /);
    terminal.type('y\r');
    expect(plain((await terminal.ended).screen)).toMatch(/code 0\r\nrestored\r\n100\r\n$/);
  });
});

describe.skipIf(!hasProgram('tmux'))('the screen of a ramp', () => {
  test('80 x 24: its schedule, the line that changes, the question of Ctrl-C, and what it did', async () => {
    const home = mkdtempSync('/tmp/so-');
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
    const command = "stackops variant ramp --steps 25,100 --every 10m --check ./health.sh --check 'test -d .'";
    writeFileSync(join(home, 'health.sh'), '#!/bin/sh\n', { mode: 0o755 });
    const quick = '--interval 200ms --initial-delay 0s -y';
    const { code, text, before, wrapped, cursorShown } = await screenOf(
      `cd ${home}; ${command} ${quick}`,
      { columns: 80, rows: 24 },
      { ...env(), XDG_STATE_HOME: home, NO_COLOR: '1' },
      [
        { after: /health\.sh \d+ good; test \d+ good/, keys: ['C-c'] },
        { after: /Pause or abort the ramp\? \[P\/a\] /, keys: ['a', 'Enter'] },
      ],
    );
    expect([code, wrapped, cursorShown]).toEqual([130, false, true]);
    const timeless = (screen: string) =>
      screen
        .replaceAll(home, '/tmp/so-folder')
        .replaceAll(/[0-9a-f]{16}\.log/g, '0123456789abcdef.log')
        .replaceAll(/\d\d:\d\d:\d\d/g, '12:00:00')
        .replaceAll(/\d\d:\d\d (?=\d+ %|UTC)/g, '12:00 ')
        .replaceAll(/\d+m \d+s left|10m left/g, '9m 59s left')
        .replaceAll(/\d+ good/g, '3 good')
        .replace(/^[\u2800-\u28ff] /m, '⠋ ');
    const shown = [...before, text].map((screen) => `== 80 x 24\n$ ${command}\n${timeless(screen)}`);
    await expect(shown.join('\n')).toMatchFileSnapshot('../../system/screens/variant-ramp.txt');
  }, 60_000);
});
