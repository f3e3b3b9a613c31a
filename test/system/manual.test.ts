import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { argumentMacros, flagMacros, literal, mdocParagraph } from '../../scripts/docs/mdoc.ts';
import { readTree } from '../../scripts/docs/tree.ts';
import { globalOptions } from '../../src/cli/arguments/options.ts';
import { longSpelling } from '../../src/cli/help/describe.ts';
import { ownEnvironment } from '../support/built.ts';
import { packed } from '../support/packaging.ts';
import { hasProgram } from '../support/programs.ts';
import { run } from '../support/stackops.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'man');
const pages = readdirSync(folder);
const runFile = promisify(execFile);
/** Skipped where the program is missing; `.ci/run` installs it. */
const withProgram = (name: string) => test.skipIf(!hasProgram(name));

/** All a program says about a page, in the folder of the pages: references are looked for there. */
async function said(program: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runFile(program, words, { cwd: folder }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return stdout + stderr;
}

withProgram('mandoc')('mandoc has nothing to remark on any page', async () => {
  expect(await said('mandoc', ['-Tlint', ...pages])).toBe('');
});

withProgram('groff')('groff warns of nothing on any page', async () => {
  expect(await said('groff', ['-mandoc', '-ww', '-Tutf8', '-z', ...pages])).toBe('');
});

withProgram('mandoc')('a page says what help says: purpose, examples, arguments, flags, exit codes', async () => {
  const { commands } = await readTree();
  const weight = commands.find(({ name }) => name === 'variant weight');
  const text = await said('mandoc', ['-Tascii', '-Owidth=100', 'stackops-variant.1']);
  const shown = text.replaceAll(/.\x08/g, '');
  for (const example of weight?.examples ?? []) expect(shown).toContain(`\n           ${example}\n`);
  expect(shown).toContain('stackops variant weight [variant] percent [flags]');
  expect(shown).toMatch(/^ {5}-n, --dry-run\n/m);
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(
    /`--profile', .* `--no-input' and `--help' are explained in stackops\(1\)\./,
  );
  expect(readFileSync(join(folder, 'stackops.1'), 'utf8')).toContain('\n.It Fl V , Fl \\-version\nShow the version.\n');
  expect(shown).toMatch(/^ {5}11 {6}outcome unknown: the request was sent, no response\.$/m);
});

test('what commands share is explained once on a page, and only where one of them takes it', async () => {
  const { commands } = await readTree();
  for (const page of pages.filter((name) => /^stackops-.*\.1$/.test(name))) {
    const text = readFileSync(join(folder, page), 'utf8');
    const resource = page.slice('stackops-'.length, -'.1'.length);
    const own = commands.filter(({ name }) => name.split(' ', 1)[0] === resource);
    for (const { flags, about, long } of globalOptions) {
      const isTaken = own.some(({ places, options }) => [...places.map(longSpelling), ...options].includes(long));
      const explained = text.split(`\n.It ${flagMacros(flags)}\n${mdocParagraph(about)[0]}\n`).length - 1;
      expect([page, long, explained]).toEqual([page, long, isTaken ? 1 : 0]);
    }
  }
  const weight =
    /\n\.Ss stackops variant weight\n([\s\S]*?)\n\.S[sh] /.exec(
      readFileSync(join(folder, 'stackops-variant.1'), 'utf8'),
    )?.[1] ?? '';
  expect(weight.match(/^\.Fl .*$/gm)).toEqual(
    [
      'stack ,',
      'json ,',
      'fields ,',
      'jq ,',
      'output ,',
      'quiet ,',
      'dry\\-run ,',
      'curl ,',
      'yes ,',
      'wait ,',
      'wait\\-timeout ,',
      'poll ,',
      'notify .',
    ].map((name) => `.Fl \\-${name}`),
  );
});

test('the description of a page says more than its name, and help says it too', async () => {
  const { groups, commands } = await readTree();
  for (const { name, about, description } of [...groups, ...commands].filter((one) => !one.name.includes(' '))) {
    expect(description, name).toMatch(/^.+[.]$/);
    expect(description).not.toBe(about);
    expect(readFileSync(join(folder, `stackops-${name}.1`), 'utf8')).toContain(
      `\n.Sh DESCRIPTION\n${mdocParagraph(description ?? '').join('\n')}\n.Sh `,
    );
    expect((await run([name, '--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain(` Notes: ${description} `);
  }
});

withProgram('man')('the packed tool brings its pages along', async () => {
  const { prefix } = await packed();
  const env = ownEnvironment({ MANWIDTH: '80', MANPAGER: 'cat' });
  const script = `"${prefix}/bin/stackops" --version; man -M "${prefix}/share/man" "$0" | cat`;
  for (const page of ['stackops', 'stackops-variant', 'stackops-exit-codes']) {
    const { stdout } = await runFile('bash', ['-c', script, page], { env });
    const shown = stdout.replaceAll(/.\x08/g, '');
    expect(shown).toMatch(/^\d+\.\d+\.\d+\n/);
    expect(shown).toMatch(new RegExp(`^NAME\n {5}${page} `, 'm'));
  }
});

test('what would be a command to the formatter is text', () => {
  expect(mdocParagraph(".local, 'quoted' and `a b` end. Next\\n -x read-only ~ …")).toEqual([
    "\\&.local, 'quoted' and \\(oqa b\\(cq end.",
    'Next\\en \\-x read-only \\(ti \\[u2026]',
  ]);
  expect(literal([".x 'y' -z `w`"])).toEqual([
    '.Bd -literal -offset indent',
    '\\&.x \\(aqy\\(aq \\-z \\(gaw\\(ga',
    '.Ed',
  ]);
  expect([argumentMacros('<variant>'), argumentMacros('[No]'), argumentMacros('<KEY=VALUE...>')]).toEqual([
    'Ar variant',
    'Op Ar \\&No',
    'Ar KEY=VALUE ...',
  ]);
});

test('man/ and package.json hold the same pages', () => {
  const { man, files }: { man: string[]; files: string[] } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  expect(man).toEqual(pages.map((page) => `man/${page}`));
  expect(files).toContain('man');
});
