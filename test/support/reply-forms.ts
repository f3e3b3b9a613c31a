import type { RunningSandbox, SandboxOptions } from '../../src/sandbox/server/server.ts';
import { startSandbox } from './sandbox.ts';
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
  /** Whether the service shows something else than before, when the run ends and an hour later. */
  readonly changed: 'at once' | 'later' | 'never';
}

/** Runs one write against a sandbox of its own that answers in one form, and asks the service itself what became of it. */
export async function runInForm(
  { words, stdin = '', first }: Write,
  form: Form,
  more: readonly string[] = [],
): Promise<Truth> {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const sandbox = await startSandbox({ ...forms[form], now });
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  try {
    if (first) await run(first, { env, stdin, now });
    const before = await shown(sandbox);
    // A clock of its own starts where the service's stands.
    const ran = await run([...words, ...more], {
      env,
      stdin,
      now: () => new Date(Date.parse('2026-05-04T12:00:00Z')),
      slept,
    });
    const after = await shown(sandbox);
    nowMs += 3_600_000;
    const later = await shown(sandbox);
    const atLast = later === before ? 'never' : 'later';
    return { ...ran, changed: after === before ? atLast : 'at once' };
  } finally {
    await sandbox.close();
  }
}

const stack = '/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
const paths = [
  `${stack}/environments?page=1`,
  `${stack}/environments?page=2`,
  `${stack}/settings`,
  `${stack}/servers/${server}/settings`,
  `${stack}/deployments`,
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

/** All that a write of the table may change, but for the times at which it did. */
async function shown({ url, token }: RunningSandbox): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    const answer = await fetch(`${url.href}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    texts.push(await answer.text());
  }
  return texts.join('\n').replaceAll(/"(\w+_at|\w+_iso|last_\w+)":"[^"]*"/g, '""');
}
