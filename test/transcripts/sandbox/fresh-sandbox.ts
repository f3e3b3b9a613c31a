import { startSandbox, type TestSandbox, type TestSandboxOptions } from '../../support/sandbox.ts';

export const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
export const stagingBlog = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
export const webServer = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
export const cluster = '9c1e4b7a2d5f48309a1b2c3d4e5f6071';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface FreshSandbox extends TestSandbox {
  /** `PUT /stacks/x`, a JSON body, and a token other than the one with every scope; null for none. */
  ask(line: string, body?: unknown, token?: string | null): Promise<Answer>;
  /** Moves the clock of the sandbox. */
  pass(seconds: number): void;
}

/** A fresh sandbox with a clock that stands still, closed at the end of the test. */
export async function freshSandbox(options: TestSandboxOptions = {}): Promise<FreshSandbox> {
  let nowMs = Date.parse('2026-04-16T08:00:00Z');
  const sandbox = await startSandbox({ now: () => new Date(nowMs), ...options });
  return {
    ...sandbox,
    pass: (seconds) => {
      nowMs += seconds * 1000;
    },
    ask: async (line, body, token = sandbox.token) => {
      const [method = '', path = ''] = line.split(' ');
      const response = await fetch(`${sandbox.url.href}${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), 'request-id': 'r-1' },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}

/** `at(body, 'response.0.uid')`, undefined where there is nothing. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

/** The `response` of an answer. */
export function response(answer: Answer): unknown {
  return at(answer.body, 'response');
}

/** The rows of a list. */
export function rows(answer: Answer): readonly Readonly<Record<string, unknown>>[] {
  return response(answer) as readonly Readonly<Record<string, unknown>>[];
}

/** Status and the sentence for the operator: what a refused request shows. */
export function refusal({ status, body }: Answer): readonly unknown[] {
  return [status, at(body, 'details')];
}

const unfinished = { finished_at: null, finished_success: null, finished_message: null };
/** The fields of an action that was requested just now and is queued. */
export const justQueued = {
  id: 812,
  status: 'queued',
  started_via: 'api',
  started_at: null,
  ...unfinished,
  created_at: '2026-04-16T08:00:00Z',
  updated_at: '2026-04-16T08:00:00Z',
};

/** The fields of an action that was requested and started just now. */
export const justStarted = {
  id: 812,
  user: 'ada@harbour.example',
  started_via: 'api',
  started_at: '2026-04-16T08:00:00Z',
  ...unfinished,
};
