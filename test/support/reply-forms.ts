import { type AnswerOptions, answerRequest } from '../../src/sandbox/answer.ts';
import type { SandboxOptions } from '../../src/sandbox/server/server.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';
import { freshState, startSandbox } from './sandbox.ts';
import { type Ran, run } from './stackops.ts';
import type { Write } from './writes.ts';

/** The forms in which the service is known to answer, and the one whose actions end badly. */
export const forms = {
  documented: {},
  actions: { replies: 'actions' },
  'actions that fail': { replies: 'actions', failActions: true },
  legacy: { replies: 'legacy' },
  'legacy, where actions fail': { replies: 'legacy', failActions: true },
} as const satisfies Readonly<Record<string, SandboxOptions>>;
export type Form = keyof typeof forms;

export interface Truth extends Ran {
  /** Whether the service shows something else than before when the run ends. */
  readonly isChanged: boolean;
}

/** Runs one write against a sandbox of its own that answers in one form, and asks the service itself what became of it. */
export async function runInForm(
  { words, stdin = '', first, env: own = {} }: Write,
  form: Form,
  more: readonly string[] = [],
): Promise<Truth> {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const state = freshState();
  const sandbox = await startSandbox({ ...forms[form], state, now });
  const env = { ...sandbox.env, ...own };
  const look = () => shown({ ...forms[form], state, now: now(), speed: 1, storage: '', tokens: wellKnownTokens });
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  if (first) await run(first, { env, stdin, now });
  const before = look();
  // A clock of its own starts where the service's stands.
  const ran = await run([...words, ...more], {
    env,
    stdin,
    now: () => new Date(Date.parse('2026-05-04T12:00:00Z')),
    slept,
  });
  return { ...ran, isChanged: look() !== before };
}

const stack = '/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
const paths = [
  `${stack}/environments?page=1`,
  `${stack}/environments?page=2`,
  `${stack}/settings`,
  `${stack}/servers/${server}/settings`,
  `${stack}/deployments`,
  '/stacks/b92c7d1e5f30584a9d6e7f8091a2b3c4/deployments',
  `${stack}/application_variants`,
  `${stack}/processes`,
  `${stack}/server_groups/21/databases`,
  `${stack}/server_groups/21/database_users?show_password=true`,
  `${stack}/backups`,
  `/tags/server/${server}`,
  '/accounts/42/gateways',
  '/users/7',
  '/users/9',
];

/** All that a write of the table may change, but for the times at which it did; asked without a socket. */
function shown(stage: AnswerOptions): string {
  const texts = paths.map((path) => {
    const [plain = '', query] = path.split('?');
    const question = { method: 'GET', path: plain, query: new URLSearchParams(query), body: '', token: 'sandbox_all' };
    const { status, text } = answerRequest(question, stage);
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return text;
  });
  return texts.join('\n').replaceAll(/"(\w+_at|\w+_iso|last_\w+)":"[^"]*"/g, '""');
}
