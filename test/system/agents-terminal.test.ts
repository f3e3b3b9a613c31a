import { describe, expect, test } from 'vitest';
import { ownEnvironment } from '../support/built.ts';
import { unchanged } from '../support/phrases.ts';
import { hasProgram } from '../support/programs.ts';
import { run } from '../support/stackops.ts';
import { openTerminal } from '../support/terminal.ts';

/** What the agents set, as they set it. */
const agents = [
  'AI_AGENT=1',
  'AGENT=amp',
  'CLAUDECODE=1',
  'CODEX_SANDBOX=seatbelt',
  'CODEX_THREAD_ID=019a',
  'CURSOR_AGENT=1',
  'GEMINI_CLI=1',
  'OPENCODE=1',
] as const;

const sandbox = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };

const line = ['gateway', 'delete', 'bastion-1'];
const settings = (mark: string) => {
  const [name = '', value = ''] = mark.split('=');
  return { name, env: { ...sandbox, [name]: value } };
};

function expectRefused({ code, text }: { readonly code: number | null; readonly text: string }, name: string) {
  expect(code).toBe(2);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    `"gateway delete" must be confirmed by a person (${name} is set)${unchanged}`,
  );
  expect(text).toContain('stackops gateway delete bastion-1 -n');
  expect(text).toContain('\x1b[31merror:\x1b[39m');
}

test.each(agents)('%s: no question, and the hint only plans; colours stay', async (mark) => {
  const { name, env } = settings(mark);
  const { code, stderr } = await run(line, { env, terminal: 80, typed: ['bastion-1'] });
  expectRefused({ code, text: stderr }, name);
});

test.each(['CODEX_HOME=/home/ada/.codex', 'CODEX_API_KEY=made-up', 'AGENT='])(
  '%s is set by people, who are asked',
  async (mark) => {
    const { code, stderr } = await run(line, { env: settings(mark).env, terminal: 80, typed: [''] });
    expect(stderr).toContain('Type bastion-1 to confirm: ');
    expect(code).toBe(1);
  },
);

describe.skipIf(!hasProgram('script'))('at a real terminal', () => {
  test('nobody is asked where an agent says so', async () => {
    const { name, env } = settings('CLAUDECODE=1');
    const { code, screen } = await openTerminal(`stackops ${line.join(' ')}`, ownEnvironment(env)).ended;
    expectRefused({ code, text: screen }, name);
  });

  test('people are asked', async () => {
    const { env } = settings('CODEX_HOME=/home/ada/.codex');
    const terminal = openTerminal(`stackops ${line.join(' ')}`, ownEnvironment(env));
    await terminal.shows(/Type bastion-1 to confirm: /);
    terminal.type('\n');
    expect((await terminal.ended).code).toBe(1);
  });

  test('a table is drawn for an agent as for anybody', async () => {
    const list = 'stackops variant list';
    const people = await openTerminal(list, ownEnvironment(sandbox)).ended;
    const agent = await openTerminal(list, ownEnvironment({ ...sandbox, CLAUDECODE: '1' })).ended;
    expect(agent).toEqual(people);
    expect(agent.screen).toContain('\x1b[1m');
  });
});
