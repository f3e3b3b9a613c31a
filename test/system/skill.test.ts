import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { license, version } from '../../package.json';
import { readDocuments } from '../../scripts/docs/documents.ts';
import type { Finding } from '../../src/commands/doctor/check.ts';
import { ownEnvironment, runShell } from '../support/built.ts';
import { temporaryFolder } from '../support/stackops.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'skills/stackops/SKILL.md');
const skill = readFileSync(file, 'utf8');
const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill) ?? [];

test('the front matter has what agents read, the version, and the hash of all that stands below it', () => {
  const { description, ...rest } = parse(front);
  expect(rest).toEqual({
    name: 'stackops',
    license,
    metadata: { version, sha256: createHash('sha256').update(body).digest('hex') },
  });
  expect(description).toMatch(/^Operate deployed stacks .* Use it when /s);
  expect(description.length).toBeLessThanOrEqual(1024);
});

test('the body has at most 120 lines and 2,000 tokens, and leads to the pages of the program', () => {
  expect(body.trim().split('\n').length).toBeLessThanOrEqual(120);
  // Four characters are a token of English text; of code and tables a token has three.
  expect(body.length / 3).toBeLessThanOrEqual(2000);
  for (const page of ['stackops help agents', 'stackops commands --json --brief', 'stackops commands --json variant'])
    expect(body).toContain(`\n${page}`);
});

test('npm run docs renews version and hash', async () => {
  const changed = `${skill}\nOne more line.\n`;
  const manifest = readFileSync(join(root, 'package.json'), 'utf8').replace(`"${version}"`, '"9.9.9"');
  const texts = new Map([
    ['skills/stackops/SKILL.md', changed],
    ['package.json', manifest],
  ]);
  const written = await readDocuments((path) => texts.get(path) ?? readFileSync(join(root, path), 'utf8'));
  const { metadata } = parse(/^---\n([\s\S]*?)\n---\n/.exec(written.get('skills/stackops/SKILL.md') ?? '')?.[1] ?? '');
  const sha256 = createHash('sha256').update(`${body}\nOne more line.\n`).digest('hex');
  expect(metadata).toEqual({ version: '9.9.9', sha256 });
});

/** What doctor says of copies, by their folder: below the home folder, or below that of a project. */
async function judged(copies: Readonly<Record<string, string>>) {
  const [home, project] = [temporaryFolder(), temporaryFolder()];
  for (const [folder, text] of Object.entries(copies)) {
    const path = join(folder.startsWith('~') ? home : project, folder.slice(2), 'stackops/SKILL.md');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const env = ownEnvironment({ HOME: home, PROJECT: project, STACKOPS_SANDBOX: '1' });
  const { code, stdout } = await runShell('cd "$PROJECT" && stackops doctor --json --where check=skill', env);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as readonly Finding[]).map(({ state, found, repair }) => [
    state,
    found.replace(home, '~').replace(project, '.'),
    repair,
  ]);
}

const repair = `copy skills/stackops of stackops ${version} over it`;
const copyOf = (release: string) => skill.replace(`"${version}"`, `"${release}"`);

test('doctor knows copies in three folders: ok, older, edited', async () => {
  const copies = { '~/.claude/skills': skill, '~/.agents/skills': copyOf('0.0.9'), './.agents/skills': `${skill}!` };
  expect(await judged(copies)).toEqual([
    ['ok', '~/.claude/skills/stackops/SKILL.md', null],
    ['warning', 'older (0.0.9): ~/.agents/skills/stackops/SKILL.md', repair],
    ['warning', 'edited: ./.agents/skills/stackops/SKILL.md', repair],
  ]);
});

test('a copy of a later version is ok, one without front matter is edited, and where there is none nothing is said', async () => {
  const copies = { '~/.claude/skills': copyOf('0.10.0'), '~/.agents/skills': 'My own notes.\n' };
  expect(await judged(copies)).toEqual([
    ['ok', '~/.claude/skills/stackops/SKILL.md', null],
    ['warning', 'edited: ~/.agents/skills/stackops/SKILL.md', repair],
  ]);
  expect(await judged({})).toEqual([]);
});
