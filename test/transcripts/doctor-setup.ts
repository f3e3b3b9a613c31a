import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Seen, type Service, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';

const now = 'Mon, 04 May 2026 12:00:00 GMT';
export const token = 'token-of-the-test-0123456789';

export interface DoctorSetup {
  readonly env: Readonly<Record<string, string>>;
  readonly config: string;
  readonly state: string;
}

/** Folders of its own, a token in the environment, and any free port for the browser. */
export function doctorSetup(
  env: Readonly<Record<string, string>> = {},
  preferences: object = { callback_port: 0 },
): DoctorSetup {
  const [config, state] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(config, 'config.json'), JSON.stringify({ preferences }), { mode: 0o600 });
  return { config, state, env: { STACKOPS_CONFIG_DIR: config, XDG_STATE_HOME: state, STACKOPS_TOKEN: token, ...env } };
}

export async function serve(answer: (response: ServerResponse, seen: Seen) => void = well): Promise<Service> {
  const service = await startService((seen, response) => {
    response.setHeader('date', now);
    answer(response, seen);
  });
  return service;
}

export function well(response: ServerResponse): void {
  response.end('{"response":[]}');
}

export const answer =
  (status: number, text = '{}') =>
  (response: ServerResponse) => {
    response.statusCode = status;
    response.end(text);
  };

interface Row {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly repair: string | null;
}

/** The row of every check, and the exit code. */
export async function consult({ env }: DoctorSetup, words: readonly string[] = [], more: RunOptions = {}) {
  const ran = await run(['doctor', '--json', ...words], { env, ...more });
  const rows = JSON.parse(ran.stdout) as readonly Row[];
  const about = (name: string) => {
    const { check: _name, ...row } = rows.find(({ check }) => check === name) ?? expect.fail(`no check "${name}"`);
    return row;
  };
  return { ...ran, rows, about, troubled: rows.filter(({ repair }) => repair).map(({ check }) => check) };
}
