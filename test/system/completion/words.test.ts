import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { tab, tabbed } from './tab.ts';

const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };

describe('words', () => {
  test('nouns, and what they are', async () => {
    const all = await tab('');
    expect(all).toContain('variant\tList variants, shift traffic to a canary, commit a rollout.');
    expect(all).toContain('help\tShow help on a command or topic.');
    expect(all).toContain('env\tEnvironment variables of a stack.');
    expect(await tabbed('env ')).toEqual(await tabbed('stack env '));
    expect(await tabbed('env ')).toContain('set');
    expect(all.join('\n')).not.toContain('__complete');
  });

  test('below a noun, a group, a command', async () => {
    expect(await tabbed('variant ')).toEqual(['list', 'commit', 'weight', 'delete', 'ramp']);
    expect(await tabbed('stack settings ')).toEqual(['list', 'get', 'set']);
    expect(await tabbed('variant list ')).toEqual([]);
    expect(await tabbed('completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell', 'install']);
  });

  test('behind options that stand in front', async () => {
    expect(await tabbed('-s shop --json -qn variant ')).toEqual(['list', 'commit', 'weight', 'delete', 'ramp']);
  });

  test('nothing behind a word that is none', async () => {
    expect(await tab('nonsense ')).toEqual([]);
    expect(await tab('variant nonsense ')).toEqual([]);
  });

  test('behind help: words and topics', async () => {
    const first = await tabbed('help ');
    expect(first).toEqual(expect.arrayContaining(['stack', 'exit-codes', 'environment', 'output']));
    expect(await tabbed('help stack settings ')).toEqual(['list', 'get', 'set']);
    expect(await tabbed('help stack settings list ')).toEqual([]);
    expect(await tabbed('--json -s shop help stack settings ')).toEqual(['list', 'get', 'set']);
  });
});

describe('flags', () => {
  test('of the command, and the global ones that matter to it', async () => {
    const flags = await tabbed('stack env set A=1 --');
    expect(flags).toEqual(
      expect.arrayContaining(['--stdin', '--from-file', '--stack', '--dry-run', '--profile', '--help']),
    );
    expect(flags).not.toContain('--limit');
    expect(flags).not.toContain('--server-group');
  });

  test('once each, unless they are for lists', async () => {
    expect(await tabbed('stack list --json --')).not.toContain('--json');
    expect(await tabbed('tags patch server/x --add a --')).toEqual(expect.arrayContaining(['--add', '--delete']));
  });

  test('a short one as it is typed', async () => {
    expect(await tab('variant list -s')).toEqual(["-s\tStack to act on; several: a,b, 'web-*', @FILE or -."]);
  });

  test('none behind --', async () => {
    expect(await tab('stack env get -- --')).not.toContain('--stack');
  });
});

describe('values', () => {
  test.each([
    ['stack list --output ', ['table', 'tsv', 'csv', 'md', 'json', 'yaml', 'ndjson']],
    [
      'stack list --output=',
      [
        '--output=table',
        '--output=tsv',
        '--output=csv',
        '--output=md',
        '--output=json',
        '--output=yaml',
        '--output=ndjson',
      ],
    ],
    ['--color ', ['always', 'never', 'auto']],
    ['cluster reboot c --strategy ', ['serial', 'parallel']],
    ['profile set protected=', ['protected=true', 'protected=false']],
    [
      'config set output=',
      ['output=table', 'output=tsv', 'output=csv', 'output=md', 'output=json', 'output=yaml', 'output=ndjson'],
    ],
    ['user update 7 --set can_payment=', ['can_payment=true', 'can_payment=false']],
    ['backup import --db-type mysql,', ['mysql,postgresql', 'mysql,redis', 'mysql,mongodb']],
    ['api ', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']],
    ['variant list --limit ', []],
    ['stack env set KEY=', []],
  ])('%s', async (line, expected) => {
    expect(await tabbed(line)).toEqual(expected);
  });

  test('settings: all to get, those that can be kept to set, preferences to unset', async () => {
    expect(await tabbed('config get ')).toContain('sandbox');
    expect(await tabbed('profile set ')).toEqual(expect.arrayContaining(['base_url=', 'output=']));
    expect(await tabbed('profile set ')).not.toContain('sandbox=');
    expect(await tabbed('config unset ')).not.toContain('base_url');
  });

  test('fields of what the command prints, behind a comma and a minus too', async () => {
    expect(await tab('deployment list --json --fields id,out', { env })).toEqual(
      expect.arrayContaining(['id,outcome\tOutcome.', 'id,outcome.meaning\tIts meaning.']),
    );
    expect(await tabbed('deployment list --fields id,')).not.toContain('id,id');
    expect(await tabbed('stack list --columns ')).toContain('environment');
    expect(await tabbed('stack list --where env')).toContain('environment=');
    expect(await tabbed('stack list --where name=shop --where env')).toContain('environment=');
    expect(await tabbed('stack list --sort -')).toContain('-name');
    expect(await tabbed('reference clouds --columns ')).toEqual(['cloud', 'kind', 'id', 'description']);
    expect(await tabbed('tags list server/a --sort -v')).toEqual(['-entity', '-value', '-reserved']);
    expect(await tabbed('commands --fields commands.n')).toContain('commands.name');
  });

  test('the words of codes, and the columns of a table unless data is printed', async () => {
    expect(await tab('stack list --fields name,status_')).toContain('name,status_text\tStatus of the stack, in words.');
    expect(await tabbed('stack list --where status_')).toContain('status_text=');
    const columns = ['entity', 'value', 'reserved'];
    const data = ['entity_type', 'entity_id', 'tags', 'tags.value', 'tags.reserved'];
    const tags = 'tags list server/a';
    expect(await tabbed(`${tags} --fields `)).toEqual(expect.arrayContaining([...columns, ...data]));
    expect(await tabbed(`${tags} --output csv --fields `)).toEqual(columns);
    for (const flags of ['--json', '--jq .', '--output yaml', '--output=ndjson']) {
      const offered = await tabbed(`${tags} ${flags} --fields `);
      expect(offered).toEqual(expect.arrayContaining(data));
      expect(offered).not.toContain('value');
    }
    expect(await tabbed(`${tags} --json --sort entity_t`)).toContain('entity_type');
  });

  test.each([
    ['stack env set A --from-file ', 'files'],
    ['stack env set A --from-file=', 'files'],
    ['api POST /x --input ', 'files'],
    ['gateway create --key-file ', 'files'],
    ['server list -s @', 'files'],
    ['server list --stack=@li', 'files'],
    ['backup download 901 --to ', 'folders'],
    ['sandbox run -- ', 'program'],
    ['sandbox run -- ls -', 'program'],
  ])('%s leaves it to the shell: %s', async (line, kind) => {
    expect(await tab(line)).toEqual([kind]);
  });

  test('profiles, as the file has them', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const config = { active_profile: 'work', profiles: { work: { base_url: 'https://a.example/api/3' }, home: {} } };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    const own = { STACKOPS_CONFIG_DIR: folder };
    expect(await tab('-p ', { env: own })).toEqual(['default\t', 'work\tactive', 'home\t']);
    expect(await tabbed('profile use ', { env: own })).toEqual(['default', 'work', 'home']);
  });
});

describe('what goes wrong', () => {
  test.each([
    ['a shell that is none', ['__complete', 'tcsh', '--', '']],
    ['no shell', ['__complete']],
  ])('%s: nothing is said', async (_, argv) => {
    expect(await run(argv)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a configuration that cannot be read: what needs none is offered, and no names', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'config.json'), '{');
    const broken = { STACKOPS_CONFIG_DIR: folder };
    expect(await tabbed('-p ', { env: broken })).toEqual([]);
    expect(await tabbed('stack env get ', { env: broken })).toEqual([]);
    expect(await tabbed('variant we', { env: broken })).toContain('weight');
  });
});
