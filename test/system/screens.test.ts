import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cellWidth } from '../../src/output/table/cell-width.ts';
import { type Environment, ownEnvironment, skipSleep } from '../support/built.ts';
import { hasProgram } from '../support/programs.ts';
import { serveSandbox, startSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Answer, type Screen, type Size, screenOf, widthsOf } from '../support/tmux.ts';
import { stillMs, wideState } from '../support/wide-names.ts';
import { closedPort } from '../transcripts/http/servers.ts';

/** The commands operators type most; all but the last only read. */
const commands = [
  'stack list',
  'stack env list --limit 12',
  'server list',
  'deployment list',
  'deployment get 1041',
  'variant list',
  'process list',
  'db list',
  'backup list',
  'status',
  'activity --since 30d --limit 12',
  'redeploy -y --wait',
];
/** Questions, and what is typed. */
const questions: readonly (readonly [command: string, keys: readonly string[]])[] = [
  ['deployment rollback', ['n', 'Enter']],
  ['variant commit canary', ['n', 'Enter']],
  ['env unset LOG_LEVEL SMTP_PORT', ['n', 'Enter']],
  ['db delete shop_prod', ['shop', 'Enter']],
];
const errors: readonly (readonly [command: string, code: number, env?: Environment])[] = [
  ['variant wieght va-canary 50', 2],
  ['env get LOG_LEVL', 3],
  ['gateway delete bastion-1 --no-input', 2],
  ['env set STACK_NAME=blog', 6],
  ['deployment get 999', 3],
  ['stack list', 4, { STACKOPS_TOKEN: 'sandbox_unknown' }],
  ['user list', 5, { STACKOPS_TOKEN: 'sandbox_public' }],
  ['stack list', 7, { STACKOPS_BASE_URL: 'http://AWAY/api/3', STACKOPS_RETRIES: '0' }],
  ['stack list', 2, { STACKOPS_BASE_URL: '' }],
];
/** What was changed how many hours ago. */
const changes: readonly (readonly [hours: number, command: string])[] = [
  [26, 'env set LOG_LEVEL=debug SMTP_PORT=2525'],
  [3, 'redeploy --git-ref broken -y --wait'],
  [2, 'db user regenerate-password app --confirm app --wait'],
  [1, 'process scale worker=+1'],
  [0.1, 'variant weight va-canary 25'],
];
const small: Size = { columns: 80, rows: 24 };
const large: Size = { columns: 200, rows: 50 };
const hasTmux = hasProgram('tmux');
const style = /\x1b\[([\d;]*)m/g;
/** Of the sixteen basic colours and the styles; 39 and 49 are the terminal's own. */
const styles: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' };

/** The clock of the program stands at the moment of the screens, and sleeping takes no time. */
const still = {
  ...skipSleep,
  CLOCK_MS: String(stillMs),
};
let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await serveSandbox({ state: wideState(), now: () => new Date(stillMs) });
});
afterAll(() => sandbox.close());

describe.skipIf(!hasTmux)(`screens${hasTmux ? '' : ' (skipped: there is no tmux here)'}`, () => {
  test.each(commands)('%s', async (command) => {
    const plain = await seen(command, small, { NO_COLOR: '1' });
    const wide = await seenWide(command);
    const dark = await seen(command, small, {});
    const wideDark = await seen(command, large, {});
    for (const { code, cursorShown, cursorColumn } of [plain, wide, dark, wideDark]) {
      expect([code, cursorShown, cursorColumn]).toEqual([0, true, 0]);
    }
    expect([plain.styled, wide.styled]).toEqual([plain.text, wide.text]);
    expect([dark.text, wideDark.text]).toEqual([plain.text, wide.text]);
    expect(marked(wideDark.styled) === wide.text).toBe(!reads(command));
    for (const { text } of [plain, wide]) if (isTable(command)) expect(gutters(text)).toBe(headings(text) - 1);
    expect(plain.wrapped).toBe(command.startsWith('deployment get'));
    expect(wide.wrapped).toBe(false);
    const shown = [
      ['80 x 24', plain.text],
      ['200 x 50', wide.text],
      ['80 x 24, dark', marked(dark.styled)],
    ].map(([title, text]) => `== ${title}\n$ stackops ${command}\n${text ?? ''}`);
    await expect(shown.join('\n')).toMatchFileSnapshot(join('screens', `${nameOf(command)}.txt`));
  });

  test.each([60, 120])('status has room on %d columns', async (columns) => {
    const { code, text, wrapped } = await seen('status', { columns, rows: 24 }, { NO_COLOR: '1' });
    expect([code, wrapped, text.trimEnd().split('\n').length < 24]).toEqual([0, false, true]);
    await expect(`== ${columns} x 24\n$ stackops status\n${text}`).toMatchFileSnapshot(`screens/status-${columns}.txt`);
  });

  test('status --watch is drawn on one place', async () => {
    // Time goes by until q is read, but not a day.
    const command = 'status --watch --only deployment,variants,servers,processes,pending';
    const shown: string[] = [];
    for (const size of [small, large, { columns: 60, rows: 12 }]) {
      const frames = { after: /(?:to quit\.[\s\S]*){5}/, keys: ['q'] };
      const { code, text, wrapped, cursorShown, cursorColumn } = await screenOf(
        `stackops ${command}`,
        size,
        { ...serving(sandbox), ...still },
        [frames],
      );
      expect([code, wrapped, cursorShown, cursorColumn]).toEqual([0, false, true, 0]);
      const timeless = text.replace(/\d\d:\d\d:\d\d UTC/, '12:00:00 UTC');
      shown.push(`== ${size.columns} x ${size.rows}\n$ stackops ${command}\n${timeless}`);
    }
    await expect(shown.join('\n')).toMatchFileSnapshot('screens/status-watch.txt');
  });

  test('the first screen leaves a line for the prompt', async () => {
    const { code, text, wrapped } = await screenOf('stackops', small, ownEnvironment());
    expect([code, wrapped, text.trimEnd().split('\n').length < small.rows]).toEqual([0, false, true]);
    await expect(`== 80 x 24\n$ stackops\n${text}`).toMatchFileSnapshot('screens/stackops.txt');
  });

  test('a question', async () => {
    const shown: string[] = [];
    for (const [command, keys] of questions) {
      const { code, text, cursorShown } = await small80(command, serving(sandbox), [
        { after: /\[y\/N\]|Type shop_prod\s+to [\w ]+:/, keys },
      ]);
      expect([command, code, cursorShown]).toEqual([command, keys[0] === 'n' ? 1 : 2, true]);
      shown.push(titled(command, text));
    }
    await expect(shown.join('\n')).toMatchFileSnapshot('screens/questions.txt');
  });

  test('an error', async () => {
    const shown: string[] = [];
    const away = (await closedPort()).host;
    for (const [command, expected, { STACKOPS_BASE_URL: address, ...more } = {}] of errors) {
      const given = address === undefined ? {} : { STACKOPS_BASE_URL: address.replace('AWAY', away) };
      const { code, text } = await small80(command, { ...serving(sandbox), ...more, ...given });
      expect([command, code]).toEqual([command, expected]);
      shown.push(titled(command, text.replace(away, '127.0.0.1:1')));
    }
    await expect(shown.join('\n')).toMatchFileSnapshot('screens/errors.txt');
  });

  test('a wait, and Ctrl-C', async () => {
    const service = await startSandbox({ state: wideState(), now: () => new Date(stillMs) });
    try {
      const command = 'redeploy --git-ref main -y --wait';
      const answer = { after: /queued, \d+s/, keys: ['C-c'] };
      const { code, text, before, cursorShown } = await small80(command, serving(service), [answer]);
      expect([code, cursorShown]).toEqual([130, true]);
      const during = before.join('').replace(/^[\u2800-\u28ff] (.*), \d+s$/m, '⠋ $1, 0s');
      await expect([titled(command, during), titled('^C', text)].join('\n')).toMatchFileSnapshot('screens/waiting.txt');
    } finally {
      await service.close();
    }
  });

  test('doctor', async () => {
    const HOME = mkdtempSync('/tmp/so-');
    onTestFinished(() => rmSync(HOME, { recursive: true }));
    const none = { STACKOPS_CONFIG_DIR: '', XDG_STATE_HOME: '', STACKOPS_TOKEN: '' };
    const env = ownEnvironment({ HOME, NO_COLOR: '1', ...none });
    const free = 'stackops profile set callback_port=0 >/dev/null 2>&1';
    const { code, text } = await screenOf(`${free}; stackops doctor`, small, env);
    expect(code).toBe(1);
    const stable = text
      .replaceAll(HOME, '/tmp/so-folder')
      .replace(/stackops \d+\.\d+\.\d+ on \w+/, 'stackops 1.2.3 on linux')
      .replace(/^(?:node|bun ) {13}ok {7}(?:Node|Bun) \d+\.\d+\.\d+/m, 'node             ok       Node 20.19.0');
    await expect(titled('doctor', stable)).toMatchFileSnapshot('screens/doctor.txt');
  });

  test('history', async () => {
    const service = await hastyService();
    try {
      const before = changes.map(([hours, command]) => {
        return `CLOCK_MS=${stillMs - hours * 3_600_000} stackops ${command} >/dev/null 2>&1`;
      });
      const line = [...before, 'stackops history'].join('; ');
      const env = { ...serving(service), ...still };
      const plain = await screenOf(line, small, env);
      const wide = await screenOf('stackops history', large, env);
      expect([plain.code, wide.code, plain.wrapped]).toEqual([0, 0, false]);
      const shown = [titled('history', plain.text), `== 200 x 50\n$ stackops history\n${wide.text}`];
      await expect(shown.join('\n')).toMatchFileSnapshot('screens/history.txt');
    } finally {
      await service.close();
    }
  });

  test('tmux gives a line as many columns as the tool counts', async () => {
    const lines = new Set<string>();
    for (const command of commands.filter(isTable)) {
      for (const line of (await seenWide(command)).text.split('\n')) {
        if (/[^\x20-\x7e]/.test(line)) lines.add(line);
      }
    }
    expect(lines.size).toBeGreaterThan(15);
    expect(await widthsOf([...lines], ownEnvironment())).toEqual([...lines].map(cellWidth));
  });
});

test('what is said about a list stands below it', async () => {
  const env = ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '', NO_COLOR: '1' });
  const { code, screen } = await openTerminal('stackops reference clouds --limit 1 --columns id', env).ended;
  expect(code).toBe(0);
  expect(screen.replaceAll('\r', '').split('\n')).toEqual([
    'sandbox: nothing here is real',
    'ID',
    't3.small',
    '1 of 32 cloud facts.',
    '',
  ]);
});

function isTable(command: string): boolean {
  return command.includes(' list');
}

function reads(command: string): boolean {
  return isTable(command) || command.includes(' get ') || ['status', 'activity'].includes(nameOf(command));
}

function nameOf(command: string): string {
  return command.replace(/ [\d-].*/, '').replaceAll(' ', '-');
}

/** The command in a terminal of its own, against the service that all share, or one of its own where it changes something. */
async function seen(command: string, size: Size, env: Environment): Promise<Screen> {
  const own = reads(command) ? undefined : await hastyService();
  try {
    const { url, token } = own ?? sandbox;
    const where = { STACKOPS_BASE_URL: url.href, STACKOPS_TOKEN: token, STACKOPS_STACK: 'shop' };
    return await screenOf(`stackops ${command}`, size, ownEnvironment({ ...where, ...env, ...still }));
  } finally {
    await own?.close();
  }
}

const wideScreens = new Map<string, Promise<Screen>>();

/** On a large terminal without colour, once for all tests. */
function seenWide(command: string): Promise<Screen> {
  const screen = wideScreens.get(command) ?? seen(command, large, { NO_COLOR: '1' });
  wideScreens.set(command, screen);
  return screen;
}

function small80(command: string, env: Environment, answers: readonly Answer[] = []): Promise<Screen> {
  return screenOf(`stackops ${command}`, small, env, answers);
}

function titled(command: string, text: string): string {
  return `== 80 x 24\n$ stackops ${command}\n${text}`;
}

function serving({ url, token }: TestSandbox): Environment {
  const where = { STACKOPS_BASE_URL: url.href, STACKOPS_TOKEN: token, STACKOPS_STACK: 'shop' };
  return ownEnvironment({ ...where, NO_COLOR: '1' });
}

/** A service in whose view a minute passes between two requests. */
function hastyService(): Promise<TestSandbox> {
  let nowMs = stillMs;
  const now = () => {
    nowMs += 60_000;
    return new Date(nowMs);
  };
  return startSandbox({ state: wideState(), now });
}

/** `«green healthy»`: a line with its styles as words; a style that is none of the basic ones is thrown. */
function marked(styled: string): string {
  let current: readonly string[] = [];
  const parts = styled.split(style).map((part, index) => {
    if (index % 2 === 0) return current.length === 0 ? part : part.replaceAll(/[^\n]+/g, `«${current.join(' ')} $&»`);
    current = part.split(';').reduce(styledBy, current);
    return '';
  });
  return parts.join('').replaceAll(/ +»/g, '»');
}

function styledBy(current: readonly string[], code: string): readonly string[] {
  if (code === '' || code === '0') return [];
  if (code === '39') return current.filter((name) => name === 'bold' || name === 'dim');
  if (code === '49') return current;
  const name = styles[code];
  if (name === undefined) throw new Error(`not one of the sixteen basic colours: ${code}`);
  return [...current, name];
}

/** The table on a screen: what stands below the mark of the sandbox. */
function tableOf(screen: string): readonly string[] {
  const lines = screen.trimEnd().split('\n');
  return lines.slice(lines.findIndex((line) => /^ *(UID|ID|KEY|NAME) /.test(line)));
}

function headings(screen: string): number {
  return tableOf(screen)[0]?.trim().split(/ {2,}/).length ?? 0;
}

/** How many runs of at least two columns are blank in every line; only where all columns are straight is there one between any two. */
function gutters(screen: string): number {
  const rows = tableOf(screen).map((line) =>
    [...line].map((point) => (point === ' ' ? ' ' : 'x'.repeat(cellWidth(point)))).join(''),
  );
  const width = Math.max(...rows.map((row) => row.length));
  const blanks = Array.from({ length: width }, (_, column) =>
    rows.every((row) => (row[column] ?? ' ') === ' ') ? ' ' : 'x',
  );
  return blanks.join('').split(/ {2,}/).length - 1;
}
