import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { unchanged } from '../support/phrases.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

/** An editor that does this to the file, which is `$1`; `$RUN` counts its starts from 1. */
function editor(script: string): string {
  const folder = temporaryFolder();
  const [file, runs] = [join(folder, 'editor'), join(folder, 'runs')];
  writeFileSync(file, `echo >> ${runs}; RUN=$(wc -l < ${runs})\n${script}\n`);
  return `sh ${file}`;
}

/** Temporary files of this test lie here. */
function inTemporaryFolder(): string {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  return folder;
}

/** What lies there, but for the folders of the test itself. */
function leftIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('stackops-test-'));
}

test('a value that was changed is asked about, and can be undone', (context) =>
  transcriptFile(context, { env: { EDITOR: editor('sed -i s/^LOG_LEVEL=.*/LOG_LEVEL=debug/ "$1"') } }));

test('the editor runs once, though the plan is made again after the question', async (context) => {
  const folder = temporaryFolder();
  await transcriptFile(context, { env: { EDITOR: `sh -c 'echo >> ${folder}/runs; printf debug > "$0"'` } });
  expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('\n\n');
});

test('a line that was removed deletes its variable, by the typed name of the stack', (context) =>
  transcriptFile(context, {
    env: { EDITOR: editor(`sed -i /^LOG_LEVEL=/d "$1"; echo "BANNER='ahoy there'" >> "$1"`) },
  }));

test('without a terminal it needs -y, and a name where something is deleted', (context) =>
  transcriptFile(context, { env: { EDITOR: editor('sed -i /^LOG_LEVEL=/d "$1"') } }));

test('read-only variables stand as comments, and stay refused', (context) =>
  transcriptFile(context, { env: { EDITOR: editor('sed -i "s/^# STACK_NAME=shop/STACK_NAME=store/" "$1"') } }));

test.each([
  ['true', 0, '', 'Nothing changed.'],
  ['truncate -s 0', 2, `error: the edited file has no variables left${unchanged}`, ''],
  ['false', 1, `error: the editor exited with 1${unchanged}`, ''],
  ["sh -c 'exit 130'", 130, `error: interrupted${unchanged}`, ''],
  ["sh -c 'exit 127'", 2, `error: cannot run the editor "sh -c 'exit 127'"${unchanged}`, ''],
  ['rm', 2, `error: the edited file has no variables left${unchanged}`, ''],
  ['sh -c \'printf "\\377" >> "$0"\'', 2, `error: the text is not valid UTF-8${unchanged}`, ''],
])('the editor %s ends with %s', (EDITOR, code, error, said) =>
  transcript(
    [
      '$ stackops stack env edit -s shop -y',
      ...(error ? [`! ${error}`] : []),
      ...(said ? [said] : []),
      ...(code ? [`= ${code}`] : []),
    ].join('\n'),
    { env: { EDITOR } },
  ),
);

test('VISUAL comes before EDITOR, and one of them must be set', async () => {
  await transcript(
    `
    $ stackops stack env edit -s shop -y
    Nothing changed.
  `,
    { env: { VISUAL: 'A=1 true', EDITOR: 'false' } },
  );
  await transcript(`
    $ stackops stack env edit -s shop -y
    ! error: no editor configured: neither VISUAL nor EDITOR is set
    ! hint: export EDITOR=vi
    = 2
  `);
});

test('a mistake is asked about, and opens the editor again with the error at the top', async (context) => {
  const folder = temporaryFolder();
  const keep = `cp "$1" ${folder}/$RUN`;
  await transcriptFile(context, {
    env: {
      EDITOR: editor(`${keep}
        case $RUN in
          1) sed -i 's/^LOG_LEVEL=info/LOG_LEVEL debug/' "$1" ;;
          2) sed -i "s/^LOG_LEVEL debug/LOG_LEVEL='debug/" "$1" ;;
          3) sed -i "s/^LOG_LEVEL='debug/LOG_LEVEL=debug/" "$1" ;;
        esac`),
    },
  });
  const lines = (run: number) => readFileSync(join(folder, String(run)), 'utf8').split('\n');
  expect(lines(1)[0]).toBe('# Environment variables of shop/production, one KEY=VALUE a line.');
  expect(lines(2)[0]).toBe('# error: variables.env line 9: expected KEY=VALUE');
  expect(lines(2)[8]).toBe('LOG_LEVEL debug');
  expect(lines(3)[0]).toMatch(/^# error: variables\.env line \d+: /);
  expect(lines(3)[1]).toBe(lines(1)[0]);

  await transcript(
    `
    80$ stackops stack env edit -s shop
    < y
    ! variables.env line 1: expected KEY=VALUE. Edit it again? [y/N]
    ! error: variables.env line 2: expected KEY=VALUE; nothing was changed
    = 2
  `,
    { env: { EDITOR: editor('test $RUN = 2 || echo rubbish > "$1"') } },
  );
});

test('who does not edit a mistake again finds the text in a file', async () => {
  const EDITOR = editor('echo rubbish > "$1"');
  const { lines, ...ran } = await edited('stack env edit -s shop', { env: { EDITOR }, typed: ['n'] });
  expect({ ...ran, lines }).toEqual({
    code: 2,
    saved: 'rubbish\n',
    lines: [warning, `error: variables.env line 1: expected KEY=VALUE${unchanged}`],
  });
});

test.each([
  ['a device', 'ln -sf /dev/zero "$1"', 'not a regular file'],
  ['a pipe', 'rm "$1"; mkfifo "$1"', 'not a regular file'],
  ['a folder', 'rm "$1"; mkdir "$1"', 'it is a folder'],
])('what an editor leaves is read as other files are: %s', async (_, script, why) => {
  const { code, lines } = await edited('stack env edit -s shop', { env: { EDITOR: editor(script) } });
  expect(code).toBe(2);
  expect(lines.map((line) => line.replace(/read \S+:/, 'read FILE:'))).toEqual([
    `error: cannot read FILE: ${why}${unchanged}`,
  ]);
});

test('what a killed run left is swept by the next one and by doctor, what a live one has is not', async () => {
  const temp = inTemporaryFolder();
  const gone = spawnSync('true').pid;
  const left = join(temp, `stackops-edit-${gone}-abc`);
  const live = join(temp, `stackops-edit-${process.pid}-abc`);
  for (const words of ['stack env edit -s shop -y', 'doctor']) {
    for (const folder of [left, live]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(left, 'variables.env'), 'A=secret\n');
    await run(words.split(' '), { env: { STACKOPS_SANDBOX: '1', EDITOR: 'true' } });
    expect([existsSync(left), existsSync(live)]).toEqual([false, true]);
  }
});

test('a temporary folder that others could change is refused', async () => {
  const folders = ownFolders();
  const temp = inTemporaryFolder();
  chmodSync(temp, 0o777);
  await transcript(
    `
    $ stackops stack env edit -s shop -y
    ! error: cannot use the temporary folder ${temp}: others can write to it
    ! hint: export TMPDIR=/tmp
    = 2
  `,
    { env: { EDITOR: 'true', ...folders } },
  );
});

test.skipIf(process.getuid?.() !== 0).each(['below', 'through'])(
  'a temporary folder %s a folder of another user is refused, and nothing in it is deleted',
  async (way) => {
    const folders = ownFolders();
    const folder = temporaryFolder();
    const [theirs, link] = [join(folder, 'theirs'), join(folder, 'link')];
    const temp = join(theirs, 'temp');
    const left = join(temp, `stackops-edit-${spawnSync('true').pid}-abc`);
    mkdirSync(left, { recursive: true });
    chownSync(theirs, 12345, 12345);
    symlinkSync(temp, link);
    vi.stubEnv('TMPDIR', way === 'below' ? temp : link);
    await transcript(
      `
      $ stackops stack env edit -s shop -y
      ! error: cannot use the temporary folder ${way === 'below' ? temp : link}: ${theirs} belongs to another user (12345)
      ! hint: export TMPDIR=/tmp
      = 2
    `,
      { env: { EDITOR: 'true', ...folders } },
    );
    expect(existsSync(left)).toBe(true);
  },
);

test('the file is ours alone, and gone afterwards with all that stands beside it', async () => {
  const [temp, seen] = [inTemporaryFolder(), temporaryFolder()];
  const look = `stat -c %a "$1" "$(dirname "$1")" > ${seen}/rights; echo x > "$1~"; ls "$(dirname "$1")" > ${seen}/files`;
  await transcript(
    `
    $ stackops stack env edit -s shop -y
    Nothing changed.
  `,
    { env: { EDITOR: editor(look) } },
  );
  expect(readFileSync(join(seen, 'rights'), 'utf8')).toBe('600\n700\n');
  expect(readFileSync(join(seen, 'files'), 'utf8')).toBe('variables.env\nvariables.env~\n');
  expect(leftIn(temp)).toEqual([]);
});

test('a bare value keeps its lines, and an empty one is refused', (context) =>
  transcriptFile(context, { env: { EDITOR: 'sed -i s/checkout/cart/' } }));

/** An edit at a terminal against a service of its own; what it printed, with `FILE` for the file that was saved, and its text. */
async function edited(words: string, { fault, ...options }: RunOptions & { readonly fault?: string }) {
  const sandbox = await startSandbox({ faults: fault === undefined ? [] : [fault] });
  const temp = inTemporaryFolder();
  const env = { ...sandbox.env, NO_COLOR: '1', ...options.env };
  const asked = async () => {
    const other = ['stack', 'env', 'set', 'LOG_LEVEL=trace', '-s', 'shop'];
    if (options.typed?.[0] === 'y') expect((await run(other, { env })).code).toBe(0);
  };
  const { code, stderr } = await run(words.split(' '), { terminal: 300, asked, ...options, env });
  const [file = ''] = /\/\S+\/stackops-\w+\/[a-z]+\.(env|txt)/.exec(stderr) ?? [];
  // Enter ends the line of a question.
  const typed = stderr.replace(/(\[y\/N\]|to confirm:) /, '$1\n');
  const lines = typed.split('\n').filter((line) => /^(warning|error|hint): /.test(line));
  expect(leftIn(temp)).toHaveLength(file === '' ? 0 : 1);
  const saved = file && readFileSync(file, 'utf8');
  return { code, lines: lines.map((line) => (file ? line.replaceAll(file, 'FILE') : line)), saved };
}

const warning = 'warning: your text was saved to FILE; delete the file after use';

test('what was written and not applied is saved, and the hint applies it', async () => {
  const EDITOR = editor('sed -i "s/^LOG_LEVEL=.*/LOG_LEVEL=debug/; /^CURRENCY=/d" "$1"');
  const { saved, ...ran } = await edited('stack env edit -s shop --apply-strategy deployment', {
    env: { EDITOR },
    typed: ['shop'],
  });
  expect(ran).toEqual({
    code: 2,
    lines: [
      warning,
      `error: the name to type is shop/production, not "shop"${unchanged}`,
      'hint: stackops stack env import FILE LOG_LEVEL --apply-strategy deployment -s shop && stackops stack env unset CURRENCY -s shop',
    ],
  });
  expect(saved).toContain('\nLOG_LEVEL=debug\n');
});

test('somebody else changes a variable while the question is open', async () => {
  const EDITOR = `sh -c 'printf debug > "$0"'`;
  expect(await edited('stack env edit LOG_LEVEL -s shop', { env: { EDITOR }, typed: ['y'] })).toEqual({
    code: 6,
    lines: [
      warning,
      `error: somebody else changed LOG_LEVEL meanwhile${unchanged}`,
      'hint: stackops stack env set LOG_LEVEL --from-file FILE -s shop',
    ],
    saved: 'debug',
  });
});

test('a change that the service refused is saved too', async () => {
  const EDITOR = `sh -c 'printf debug > "$0"'`;
  const fault = 'PUT /stacks/*/environments/*=400';
  const { code, lines, saved } = await edited('stack env edit LOG_LEVEL -s shop -y', { env: { EDITOR }, fault });
  expect([code, saved]).toEqual([6, 'debug']);
  expect(lines).toEqual([
    warning,
    'error: the service refused the request (400): simulated failure (400)',
    'hint: stackops stack env set LOG_LEVEL --from-file FILE -s shop',
  ]);
});

test('who answers No gives the text up', async () => {
  const EDITOR = editor('sed -i s/^LOG_LEVEL=.*/LOG_LEVEL=debug/ "$1"');
  const refused = await edited('stack env edit -s shop', { env: { EDITOR }, typed: ['no'] });
  expect(refused).toEqual({ code: 1, lines: [`error: cancelled${unchanged}`], saved: '' });
});

test('where the text cannot be saved, the error is still that of the edit', async () => {
  const EDITOR = editor('sed -i "s/^LOG_LEVEL=.*/LOG_LEVEL=debug/; /^CURRENCY=/d" "$1"');
  const env = { STACKOPS_SANDBOX: '1', NO_COLOR: '1', EDITOR, ...ownFolders() };
  const temp = inTemporaryFolder();
  const asked = async () => rmSync(temp, { recursive: true });
  const words = ['stack', 'env', 'edit', '-s', 'shop'];
  const { code, stderr } = await run(words, { env, terminal: 300, typed: ['shop'], asked });
  expect(code).toBe(2);
  expect(stderr).toContain(`warning: your text is lost: cannot write ${temp}: `);
  expect(stderr).toContain('error: the name to type is shop/production, not "shop";');
});

test('where the text of a mistake cannot be saved, the error is still the mistake', async () => {
  const env = { STACKOPS_SANDBOX: '1', NO_COLOR: '1', EDITOR: editor('echo rubbish > "$1"'), ...ownFolders() };
  const temp = inTemporaryFolder();
  const more = { env, terminal: 300, typed: ['n'], asked: async () => rmSync(temp, { recursive: true }) };
  const { code, stderr } = await run(['stack', 'env', 'edit', '-s', 'shop'], more);
  expect(code).toBe(2);
  expect(stderr).toContain(`warning: your text is lost: cannot write ${temp}: `);
  expect(stderr).toContain(`error: variables.env line 1: expected KEY=VALUE${unchanged}`);
});
