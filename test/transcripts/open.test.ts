import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { follow, ownEnvironment } from '../support/built.ts';
import { hasProgram } from '../support/programs.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { openTerminal } from '../support/terminal.ts';
import { transcriptFile } from '../support/transcript.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test('the address of a stack, a commit and a server is printed', transcriptFile);
test('what is not there is said', transcriptFile);

type Fields = Readonly<Record<string, unknown>>;

/** The environment of a service that shows these fields of its stack, its deployment and its server. */
async function serviceWith(fields: Fields): Promise<Readonly<Record<string, string>>> {
  const row = { uid, id: 1041, name: 'shop', environment: 'production', ...fields };
  const service = await startService(({ path }, response) =>
    reply(response, { response: /\/(servers|deployments)$/.test(path) ? [row] : row }),
  );
  return { ...service.env, STACKOPS_STACK: uid, NO_COLOR: '1' };
}

const toOpen = (words: string) => ['open', ...words.split(' ').filter(Boolean)];

test.each([
  ['', { fqdn: 'Shop.Example' }, 'https://shop.example'],
  ['', { fqdn: 'b\u00fccher.example' }, 'https://xn--bcher-kva.example'],
  ['', { fqdn: 'http://shop.example/start' }, 'http://shop.example/start'],
  ['', { fqdn: null, application_address: 'app.shop.example' }, 'https://app.shop.example'],
  ['', { fqdn: '', application_address: 'http://203.0.113.7:8080/' }, 'http://203.0.113.7:8080/'],
  ['server shop', { dns_record: '', address: '203.0.113.7' }, 'http://203.0.113.7'],
  ['server shop', { dns_record: null, address: 'web.shop.example' }, 'https://web.shop.example'],
  ['deployment latest', { commit_url: 'HTTPS://git.example/shop?a=b#c' }, 'https://git.example/shop?a=b#c'],
])('open %s with %j prints %s', async (words, fields, url) => {
  const ran = await run(toOpen(words), { env: await serviceWith(fields) });
  expect(ran).toEqual({ code: 0, stdout: `${url}\n`, stderr: '' });
});

const long = `https://git.example/${'x'.repeat(2048)}`;
test.each([
  ['', { fqdn: 'file:///etc/passwd' }, 'the domain name of stack shop/production', 'file:///etc/passwd'],
  ['', { fqdn: '-e.example' }, 'the domain name of stack shop/production', '-e.example'],
  ['', { fqdn: 'shop.example/../x' }, 'the domain name of stack shop/production', 'shop.example/../x'],
  ['', { fqdn: 'shop.example:8443' }, 'the domain name of stack shop/production', 'shop.example:8443'],
  ['', { fqdn: 'ann:pw@shop.example' }, 'the domain name of stack shop/production', '***@shop.example'],
  ['server shop', { dns_record: '--help' }, 'the address of server shop', '--help'],
  [
    'deployment 1041',
    { commit_url: 'javascript:alert(1)' },
    'the commit URL of deployment 1041',
    'javascript:alert(1)',
  ],
  ['deployment 1041', { commit_url: 'git.example/x' }, 'the commit URL of deployment 1041', 'git.example/x'],
  ['deployment 1041', { commit_url: 'https://' }, 'the commit URL of deployment 1041', 'https://'],
  ['deployment 1041', { commit_url: long }, 'the commit URL of deployment 1041', `${long.slice(0, 80)}…`],
  [
    'deployment 1041',
    { commit_url: 'https://ann:pw@git.example/x' },
    'the commit URL of deployment 1041',
    'https://***@git.example/x',
  ],
  [
    'deployment 1041',
    { commit_url: 'https://git.example/\u001b[31m\u202ex' },
    'the commit URL of deployment 1041',
    'https://git.example/\\x1b[31m\\u202ex',
  ],
])('open %s opens nothing with %j', async (words, fields, what, shown) => {
  const { code, stdout, stderr } = await run(toOpen(words), { env: await serviceWith(fields), terminal: 1000 });
  expect([code, stdout, stderr]).toEqual([
    7,
    '',
    `error: ${what} is not a web address: "${shown}"; it was not opened\n`,
  ]);
});

test.each([
  ['', { fqdn: null }, 'stack shop/production has no domain name', 'server list'],
  ['server shop', {}, 'server shop has no DNS name and no address', `server get ${uid}`],
  ['deployment 1041', { commit_url: '' }, 'deployment 1041 has no commit URL', 'deployment get 1041'],
])('open %s with %j has nothing to open', async (words, fields, message, next) => {
  const { code, stdout, stderr } = await run(toOpen(words), { env: await serviceWith(fields) });
  expect([code, stdout, stderr]).toEqual([3, '', `error: ${message}\nhint: stackops ${next} -s ${uid}\n`]);
});

describe.skipIf(!(hasProgram('script') && hasProgram('mkfifo')))('at a terminal', () => {
  const display = { DISPLAY: ':0' };

  /** What the terminal showed, and what the browser was given: each argument a line, as soon as it is started. */
  async function openedAt(line: string, more: Readonly<Record<string, string>>) {
    const folder = temporaryFolder();
    const pipe = join(folder, 'opened');
    execFileSync('mkfifo', [pipe]);
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${pipe}\n`);
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const service = await serviceWith({ fqdn: 'shop.example', commit_url: 'https://git.example/x?a=b' });
    const env = ownEnvironment({ ...service, PATH: `${folder}:${process.env['PATH']}`, ...more });
    const browser = follow(['cat', pipe], { env });
    // No spinner, which a slow machine would show.
    const { code, screen } = await openTerminal(`export TERM=dumb; ${line}`, env).ended;
    // Nobody else opens the pipe where no browser was started.
    if (!screen.includes('opened in')) writeFileSync(pipe, '');
    return [code, screen, (await browser.ended).stdout];
  }

  test('the browser opens the address, which is printed too', async () => {
    expect(await openedAt('stackops open', display)).toEqual([
      0,
      'opened in the browser\r\nhttps://shop.example\r\n',
      'https://shop.example/\n',
    ]);
  });

  test.each([
    ['stackops open --no-browser', display],
    ['stackops open -n', display],
    ['stackops open', {}],
    ['stackops open', { ...display, SSH_CONNECTION: '203.0.113.1 1 203.0.113.2 22' }],
    ['stackops open', { ...display, CI: 'true' }],
    ['stackops open | cat', display],
  ])('%s with %j prints the address alone', async (line, more) => {
    expect(await openedAt(line, more)).toEqual([0, expect.stringMatching(/^https:\/\/shop\.example(\r\n)?$/), '']);
  });
});
