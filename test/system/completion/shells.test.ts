import { describe, expect, test } from 'vitest';
import { ownEnvironment } from '../../support/built.ts';
import { hasProgram } from '../../support/programs.ts';
import { openShell, type Shell, type ShellName } from '../../support/shell.ts';
import { temporaryFolder } from '../../support/stackops.ts';
import { closedPort } from '../../transcripts/http/servers.ts';
import { canary, serveNames } from './service.ts';
import { tab } from './tab.ts';

/** What is typed in front of TAB, and the line as it then stands, in every shell. */
const lines: readonly (readonly [typed: string, completed: string])[] = [
  ['stackops stac', 'stackops stack '],
  ['stackops help exit', 'stackops help exit-codes '],
  ['stackops stack list --outp', 'stackops stack list --output '],
  ['stackops stack list --output=j', 'stackops stack list --output=json '],
  ['stackops deployment list --fields id,trig', 'stackops deployment list --fields id,triggered_'],
  ['stackops stack get my', 'stackops stack get my\\ shop '],
  ['stackops stack get "my', 'stackops stack get "my shop" '],
  ["stackops stack get 'my sh", "stackops stack get 'my shop' "],
  ['stackops stack get my\\ s', 'stackops stack get my\\ shop '],
  ['stackops -s crm,my', 'stackops -s crm,my\\ shop '],
  ['stackops --stack=c', 'stackops --stack=crm '],
  ['stackops stack env get CRM -s crm', 'stackops stack env get CRM -s crm '],
  ['stackops stack env get -s crm C', 'stackops stack env get -s crm CRM_KEY '],
  ['stackops stack env set -s crm C', 'stackops stack env set -s crm CRM_KEY='],
  ['stackops server get it', "stackops server get it\\'s "],
  ['stackops server get we', 'stackops server get we\\$t '],
  ['stackops process get cron', 'stackops process get cron:daily '],
  ['stackops process get cron:d', 'stackops process get cron:daily '],
  ['stackops process scale mail', 'stackops process scale mail\\ worker='],
  ['stackops db user delete a', 'stackops db user delete app '],
  ['stackops tags list ser', 'stackops tags list server/'],
  ['stackops user get ada@h', 'stackops user get ada@harbour.example '],
  ['stackops stack get nob', 'stackops stack get nob'],
  ['stackops stack env set K --from-file sec', 'stackops stack env set K --from-file secret.txt '],
  ['stackops stack env set K --from-file two', 'stackops stack env set K --from-file two\\ words.txt '],
  ['stackops nonsense ', 'stackops nonsense '],
];

/** A shell whose service has awkward names, which are known already: no second that passes too quickly matters. */
async function openAt(name: ShellName): Promise<Shell> {
  const service = await serveNames(new Date());
  const env = ownEnvironment({
    STACKOPS_BASE_URL: service.url,
    STACKOPS_STACK: 'my shop',
    XDG_CACHE_HOME: temporaryFolder(),
  });
  const asking = ['stack get ', 'stack env get -s crm ', 'stack env set -s crm ', 'server get ', 'process get '];
  for (const line of [...asking, 'process scale ', 'db user delete ', 'user get ', 'deployment get ']) {
    expect(await tab(line, { env, now: () => new Date() })).not.toEqual([]);
  }
  return openShell(name, env, ['secret.txt', 'two words.txt']);
}

/** What a list says of two deployments, by the shell it is shown in. */
const inParentheses = [/1042 +\(3d ago, failed, 9d4e1f7\)/, /1041 +\(20d ago, success, d8b847d\)/];
const listed: Readonly<Record<ShellName, readonly RegExp[]>> = {
  bash: inParentheses,
  'bash without compopt': inParentheses,
  zsh: [/1042 +-- 3d ago, failed, 9d4e1f7/, /1041 +-- 20d ago, success, d8b847d/],
  fish: inParentheses,
};

/** Without compopt a closing quote has no blank behind it. */
function completedIn(name: ShellName, line: string): string {
  return name === 'bash without compopt' ? line.replace(/([^\\]["']) $/, '$1') : line;
}

for (const name of ['bash', 'bash without compopt', 'zsh', 'fish'] as const) {
  describe.skipIf(!hasProgram(name.split(' ', 1)[0] ?? ''))(`${name}, a real one`, () => {
    test('completes words, flags, names and files, in and out of quotes', async () => {
      const shell = await openAt(name);
      const completed: (readonly [string, string])[] = [];
      for (const [typed] of lines) completed.push([typed, (await shell.type(`${typed}\t`)).line]);
      expect(completed).toEqual(lines.map(([typed, line]) => [typed, completedIn(name, line)]));
    });

    test('lists newest deployments first, with their age and outcome, and never a value', async () => {
      const shell = await openAt(name);
      const { shown } = await shell.type('stackops deployment get \t\t\t');
      for (const pattern of listed[name]) expect(shown).toMatch(pattern);
      expect(shown.indexOf('1042 ')).toBeLessThan(shown.indexOf('1041 '));
      expect(shown).not.toContain(canary);
    });

    test('leaves a program behind -- to the shell', async () => {
      const shell = await openAt(name);
      const { line } = await shell.type('stackops sandbox run -- printen\t');
      expect(line.trimEnd()).toBe('stackops sandbox run -- printenv');
    });

    test('says nothing where the service is away', async () => {
      const env = ownEnvironment({ STACKOPS_BASE_URL: (await closedPort()).href, XDG_CACHE_HOME: temporaryFolder() });
      const shell = await openShell(name, env);
      const { line, shown } = await shell.type('stackops stack get sh\t\t');
      expect(line).toBe('stackops stack get sh');
      expect(shown).not.toMatch(/error|connect|hint/i);
    });
  });
}
