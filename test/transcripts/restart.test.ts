import { expect, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('a restart deploys the commit that is live, and names it', transcriptFile);
test('what it sends is shown first, and nothing is sent that nobody may send', transcriptFile);
test('it never takes back what is under way', transcriptFile);
test('deployment rollback live is a restart that is waited for', transcriptFile);

test('it is the same where the service answers with actions', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));
test('an action that fails is a deployment that failed', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));
test('it is the same where the service answers with a deployment', (context) =>
  transcriptFile(context, { sandbox: { replies: 'legacy' } }));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const ended = { finished_at: '2026-05-04T10:05:00Z', outcome: { code: 1, meaning: 'success' }, is_live: false };
const list = `hint: stackops deployment list -s ${uid}\n`;

/** A service with these deployments, or none that it shows; the words played there, and what was sent. */
async function serviceWith(rows: readonly object[] | undefined, refusal?: string) {
  const service = await startService(({ method, path }, response) => {
    if (method === 'POST' && refusal !== undefined) reply(response, { error: refusal }, 400);
    else if (method === 'POST') reply(response, { response: { id: 9, message: 'ok', queued: true } });
    else if (!path.endsWith('/deployments')) reply(response, { error: 'not found' }, 404);
    else if (rows) reply(response, { response: rows });
    else reply(response, { error: 'out of order' }, 500);
  });
  const env = { ...service.env, STACKOPS_STACK: uid };
  const play = (words: string, more = {}) => run(words.split(' '), { env, ...more });
  return { play, sent: () => service.seen.map(({ method, path }) => `${method} ${path}`) };
}

test.each<readonly [string, readonly object[], string]>([
  ['nothing is live', [{ id: 7, git_hash: 'd8b847d', ...ended }], `no deployment is shown as live${unsent}\n${list}`],
  ['there is no deployment', [], `no deployment is shown as live${unsent}\n${list}`],
  [
    'what is live has no commit',
    [{ id: 7, ...ended, is_live: true }],
    `what is live shows no commit${unsent}\nhint: to restart a container stack, deploy its images again with stackops redeploy\n`,
  ],
])('where %s, nothing is sent', async (_, rows, told) => {
  const { play, sent } = await serviceWith(rows);
  for (const words of ['restart -y', 'deployment rollback live -y', 'restart -y --if-busy skip']) {
    expect(await play(words)).toEqual({ code: 6, stdout: '', stderr: `error: ${told}` });
  }
  expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

test('what is live and cannot be read is 7, however it is named', async () => {
  const { is_live, ...unsaid } = ended;
  for (const rows of [undefined, [{ id: 7, git_hash: 'd8b847d', ...unsaid }]]) {
    const { play, sent } = await serviceWith(rows);
    for (const words of ['restart -y', 'deployment rollback live -y', 'deployment get live', 'deployment wait live']) {
      expect([words, (await play(words)).code]).toEqual([words, 7]);
    }
    expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
    if (rows)
      expect((await play('restart -y')).stderr).toBe(
        'error: the service does not show which deployment is live (no is_live)\n',
      );
  }
});

test('a restart reads the deployments and the stack before it is sent', transcriptFile);

test('where another commit went live during the question, nothing is sent', async () => {
  const row = { id: 7, git_hash: 'd8b847d', ...ended, is_live: true };
  const { play, sent } = await serviceWith([row]);
  const asked = async () => {
    row.git_hash = '49ab129';
  };
  const { code, stderr } = await play('restart', { terminal: 80, typed: ['y'], asked });
  expect(code).toBe(6);
  expect(stderr).toContain('deployments changed while the question was open;');
  expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

test('a service that knows no strategies is told what to leave out', transcriptFile);
