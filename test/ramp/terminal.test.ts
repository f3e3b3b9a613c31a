import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ownEnvironment } from '../support/built.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const env = () => ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '', STACKOPS_STACK: 'shop' });
const ramp = 'stackops variant ramp --steps 25,100 --interval 200ms --initial-delay 0s -y';
const share = `stackops variant list --json --jq '.[]|select(.variant_type=="canary").percentage' 2>/dev/null`;

/** The ramp, its exit code, how the terminal was left, and the share that the service shows. */
const checked = (words: string) =>
  `before=$(stty -g); ${ramp} ${words}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored; ${share}`;

describe.skipIf(!hasProgram('script'))('a ramp in a terminal', () => {
  test('shows one line while it soaks; Ctrl-C asks, and the answer is carried out before the signal', async () => {
    const terminal = openTerminal(`trap '' INT; ${checked('--every 60s --check true')}`, env());
    await terminal.shows(/va-canary 25 % {2}\[\.{20}\] {2}\d+s left {2}true \d+ good/);
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
    expect(screen).toMatch(
      /error: check test failed \(step 1 of 2, 25 %, [\d:]+ UTC\): exit code 1; va-canary has 0 %/,
    );
    expect(screen).toMatch(/code 9\r\nrestored\r\n0\r\n$/);
  });

  test('a question that is answered with yes goes on', async () => {
    const terminal = openTerminal(checked('--every 1s --confirm-steps --check true'), env());
    await terminal.shows(/Set va-canary to 100 %\? \[y\/N\] /);
    terminal.type('y\r');
    expect(plain((await terminal.ended).screen)).toMatch(/code 0\r\nrestored\r\n100\r\n$/);
  });
});
