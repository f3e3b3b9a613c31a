import { describe, expect, test } from 'vitest';
import { ownEnvironment } from './support/built.ts';
import { hasProgram } from './support/programs.ts';
import { openTerminal } from './support/terminal.ts';

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

/** What a real terminal shows of a line that needs a confirmation, and how it ends. */
function deleted(env: Readonly<Record<string, string>>) {
  return openTerminal('stackops gateway delete bastion-1', ownEnvironment({ ...sandbox, ...env }));
}

describe.skipIf(!hasProgram('script'))('at a terminal', () => {
  test.each(agents)('%s: nobody is asked, and the flag is named; colours stay', async (mark) => {
    const [name = '', value = ''] = mark.split('=');
    const { code, screen } = await deleted({ [name]: value }).ended;
    expect(code).toBe(2);
    expect(screen).toContain(`"gateway delete" needs --confirm bastion-1 (${name} is set); nothing was changed`);
    expect(screen).toContain('stackops gateway delete bastion-1 --confirm bastion-1');
    expect(screen).toContain('\x1b[31merror:\x1b[39m');
  });

  test.each(['CODEX_HOME=/home/ada/.codex', 'CODEX_API_KEY=made-up', 'AGENT='])(
    '%s is set by people, who are asked',
    async (mark) => {
      const [name = '', value = ''] = mark.split('=');
      const terminal = deleted({ [name]: value });
      await terminal.shows(/Type bastion-1 to confirm: /);
      terminal.type('\n');
      expect((await terminal.ended).code).toBe(1);
    },
  );

  test('a table is drawn for an agent as for anybody', async () => {
    const line = 'stackops variant list';
    const people = await openTerminal(line, ownEnvironment(sandbox)).ended;
    const agent = await openTerminal(line, ownEnvironment({ ...sandbox, CLAUDECODE: '1' })).ended;
    expect(agent).toEqual(people);
    expect(agent.screen).toContain('\x1b[1m');
  });
});
