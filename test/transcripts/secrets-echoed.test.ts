import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowProperty } from '../support/property.ts';
import { leaksIn, secretForms } from '../support/secret-forms.ts';
import { type Answer, reply, type Seen, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
type Echo = (response: ServerResponse, text: string) => void;

function html(response: ServerResponse, status: number, title: string): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(`<!doctype html><title>${title}</title>`);
}

function withHeader(response: ServerResponse, [name, value]: readonly [string, string], status: number): void {
  response.setHeader(
    name,
    Buffer.from(value)
      .toString('latin1')
      .replaceAll(/[\r\n]/g, ' '),
  );
  reply(response, { response: [] }, status);
}

/** The ways in which an answer repeats something. */
const echoes: Readonly<Record<string, Echo>> = {
  'in details': (response, text) => reply(response, { error: 'bad', details: `got ${text}` }, 422),
  'in a list of details': (response, text) => reply(response, { details: ['no', text] }, 400),
  'in a nested message': (response, text) =>
    reply(response, { response: { message: `${'x'.repeat(480)} ${text}` } }, 403),
  'in an error description': (response, text) => reply(response, { error: 'x', error_description: text }, 409),
  'in what fails': (response, text) => reply(response, { message: text }, 500),
  'as plain text': (response, text) => response.writeHead(404).end(text),
  'in a title': (response, text) => html(response, 502, `got ${text}`),
  'in the title of a page that came instead of data': (response, text) => html(response, 200, text),
  'in a warning': (response, text) => withHeader(response, ['x-cloud66-warning', `see ${text}`], 200),
  'in an address': (response, text) => withHeader(response, ['location', `http://${text}.example/${text}`], 302),
  'in the status': (response, text) => {
    response.statusMessage = text.replaceAll(/[^ -~]/g, '');
    response.writeHead(503).end();
  },
};

/** What a run showed to people and wrote down. */
async function seenOf(words: readonly string[], { echo, more, listening }: Run): Promise<string> {
  const service = await startService(echo);
  listening?.(service.url);
  const state = temporaryFolder();
  const env = { STACKOPS_BASE_URL: service.url, XDG_STATE_HOME: state, STACKOPS_RETRIES: '0', ...more.env };
  const { stdout, stderr } = await run(words, { ...more, env });
  const journal = join(state, 'stackops/journal.jsonl');
  return `${stdout}\n${stderr}\n${existsSync(journal) ? readFileSync(journal, 'utf8') : ''}`;
}

interface Run {
  readonly echo: Answer;
  readonly listening?: (url: string) => void;
  readonly more: NonNullable<Parameters<typeof run>[1]>;
}

type Phase = (secret: string, answer: (response: ServerResponse) => void) => Promise<string>;

const variable = { id: 1, key: 'MOTTO', value: 'old', readonly: false, is_password: false, history: [] };
const isWrite = ({ method }: Seen) => method !== 'GET';

/** When a service gets to see a secret, and what of it a person gets to see then. */
const phases: Readonly<Record<string, Phase>> = {
  'a read sends the token': (secret, answer) =>
    seenOf(['stack', 'list', '-v'], {
      echo: (_, response) => answer(response),
      more: { env: { STACKOPS_TOKEN: secret }, terminal: 200 },
    }),
  'a read as JSON': (secret, answer) =>
    seenOf(['stack', 'list', '--json'], {
      echo: (_, response) => answer(response),
      more: { env: { STACKOPS_TOKEN: secret } },
    }),
  'a write sends the token': (secret, answer) =>
    seenOf(['server', 'settings', 'set', stack, 'motto.text=new', '-s', stack, '-v'], {
      echo: (seen, response) =>
        isWrite(seen) ? answer(response) : reply(response, { response: [{ key: 'motto.text', value: 'old' }] }),
      more: { env: { STACKOPS_TOKEN: secret } },
    }),
  'a write sends a value': (secret, answer) =>
    seenOf(['stack', 'env', 'set', 'MOTTO', '--stdin', '-s', stack, '-v', '--json'], {
      echo: (seen, response) => (isWrite(seen) ? answer(response) : reply(response, { response: [variable] })),
      more: { env: { STACKOPS_TOKEN: 'the-token' }, stdin: secret },
    }),
  'api sends a field': (secret, answer) =>
    seenOf(['api', 'POST', '/things', '-f', `note=${secret}`, '-v'], {
      echo: (_, response) => answer(response),
      more: { env: { STACKOPS_TOKEN: 'the-token' }, stdin: secret },
    }).then(withoutBody),
  'a device is registered': (secret, answer) =>
    seenOf(['user', 'device', 'register', '7', '--type', 'ios', '--sub-type', 'ipad', '--token-stdin', '-v'], {
      echo: (seen, response) => (isWrite(seen) ? answer(response) : reply(response, { response: [] })),
      more: { env: { STACKOPS_TOKEN: 'the-token' }, stdin: secret },
    }),
  'a wait sees the value': (secret, answer) =>
    seenOf(['stack', 'settings', 'set', `motto.text=${secret}`, '--wait', '-s', stack, '-v'], {
      echo: (seen, response) => {
        if (isWrite(seen)) return reply(response, { response: { id: 7, started_via: 'api', finished_at: null } });
        if (seen.path.includes('/actions')) return answer(response);
        return reply(response, { response: [{ key: 'motto.text', value: 'old', readonly: false }] });
      },
      more: { env: { STACKOPS_TOKEN: 'the-token' } },
    }).then((text) => text.replaceAll(`: old -> ${secret}`, ': old -> NEW')),
  'a download has a signature': (secret, answer) => {
    const folder = temporaryFolder();
    let origin = '';
    let links = 0;
    const signed = () => ({ ok: true, public_url: `${origin}/storage?Signature=${encodeURIComponent(secret)}` });
    return seenOf(['backup', 'download', '901', '-s', stack, '--to', folder, '-v'], {
      listening: (url) => {
        origin = new URL(url).origin;
      },
      echo: ({ path }, response) => {
        if (path === '/storage') return response.writeHead(403).end(secret);
        if (path.endsWith('/901'))
          return reply(response, { response: { id: 901, backup_status: 0, db_type: 'mysql' } });
        if (path.endsWith('/files')) return reply(response, { response: [{ id: 'tar', name: 'shop.tar' }] });
        links += 1;
        return links === 1 ? reply(response, { response: signed() }) : answer(response);
      },
      more: { env: { STACKOPS_TOKEN: 'the-token' }, terminal: 200 },
    });
  },
  'sign-in sends the client secret': (secret, answer) =>
    seenOf(['auth', 'login', '--no-browser', '--callback-port', '0', '--client-id', 'app', '--client-secret-stdin'], {
      echo: (_, response) => answer(response),
      more: { stdin: secret, terminal: 200, typed: ['the-code'] },
    }),
  'sign-in sends the code': (secret, answer) =>
    seenOf(['auth', 'login', '--no-browser', '--callback-port', '0', '--client-id', 'app'], {
      echo: (_, response) => answer(response),
      more: { env: { STACKOPS_CLIENT_SECRET: 'client-secret' }, terminal: 200, typed: [secret] },
    }),
};

/** The body of an answer to `api` is data that was asked for. */
function withoutBody(text: string): string {
  return text.slice(text.indexOf('* '));
}

const secrets = fc.stringMatching(/^[A-Z][a-z]{3}[0-9]{3}[+/&<"'%=.~_-]{0,3}[a-zA-Z0-9]{3,12}$/);

slowProperty(
  'whatever the phase, no form of a secret that a service repeats is shown or written down',
  [
    fc.constantFrom(...Object.keys(phases)),
    fc.constantFrom(...Object.keys(echoes)),
    fc.constantFrom(...Object.keys(secretForms)),
    secrets,
  ],
  async (phase, way, name, secret) => {
    const text = secretForms[name]?.(secret) ?? secret;
    const seen = await phases[phase]?.(secret, (response) => echoes[way]?.(response, text));
    expect(leaksIn(seen ?? '', secret), `${phase}, ${way}, ${name}: ${seen}`).toEqual([]);
  },
  [['a download has a signature', 'in details', 'raw', 'Aaaa000%a0a0']],
);

test.each(Object.keys(phases))('%s: every way of repeating it', async (phase) => {
  const secret = 'Hunter2+/Sesame9';
  const forms = Object.entries(secretForms);
  let masked = 0;
  for (const [at, [way, echo]] of Object.entries(echoes).entries()) {
    const [name, form] = forms[at % forms.length] ?? ['raw', String];
    const seen = await phases[phase]?.(secret, (response) => echo(response, form(secret)));
    expect(leaksIn(seen ?? '', secret), `${way}, ${name}: ${seen}`).toEqual([]);
    masked += seen?.includes('***') ? 1 : 0;
  }
  expect(masked).toBeGreaterThan(0);
});

test.each([
  ['encoded only in part', 'Hunter2%2b/Ses%61me9'],
  ['encoded three times', 'Hunter2%25252B%25252FSesame9'],
  ['encoded as bytes in hexadecimal', Buffer.from('Hunter2+/Sesame9').toString('hex')],
])('what no library writes into a message is not looked for: a token %s', async (_, written) => {
  const seen = await phases['a read sends the token']?.('Hunter2+/Sesame9', (response) =>
    reply(response, { error: 'bad', details: `got ${written}` }, 422),
  );
  expect(seen).toContain(`got ${written}`);
});

test('our own sentence tells the old and the new value; what the service says does not', async () => {
  const setting = { key: 'motto.text', value: 'old', readonly: false };
  const action = { id: 7, started_via: 'api', started_at: null, finished_at: null, finished_success: null };
  const echo: Answer = (seen, response) => {
    if (isWrite(seen)) response.setHeader('x-cloud66-warning', 'Sesame99 is weak');
    reply(response, { response: isWrite(seen) ? action : [setting] });
  };
  const env = { STACKOPS_TOKEN: 'the-token' };
  const seen = await seenOf(['stack', 'settings', 'set', 'motto.text=Sesame99', '-s', stack], { echo, more: { env } });
  expect(seen).toContain('updating motto.text (action 7, queued): old -> Sesame99');
  expect(seen).toContain('warning: *** is weak');
});

test('the message in which an action ends does not repeat the value that was written', async () => {
  const finished_message = 'cannot set Sesame99';
  const action = { id: 7, started_via: 'api', finished_at: null };
  const ended = { ...action, finished_at: '2026-05-04T12:00:00Z', finished_success: false, finished_message };
  const service = await startService((seen, response) => {
    if (isWrite(seen)) return reply(response, { response: action });
    return reply(response, { response: seen.path.includes('/actions') ? ended : [variable] });
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'the-token' };
  const set = ['stack', 'env', 'set', 'MOTTO', '--stdin', '-s', stack, '--wait'];
  const { stderr, code } = await run(set, { env, stdin: 'Sesame99' });
  expect(code).toBe(9);
  expect(stderr).toContain('action 7: failed: cannot set ***\n');
  expect(stderr).toContain('error: action 7 failed: cannot set ***');
  expect(stderr).not.toContain('Sesame99');
});
