import { beforeEach, expect, test, vi } from 'vitest';
import { faultyService } from '../support/faulty.ts';
import { run } from '../support/stackops.ts';
import { type Write, writes } from '../support/writes.ts';

/** Which step behind the request is broken, and how often it was reached. */
const broken = vi.hoisted(() => ({ step: '', reached: 0 }));

/** The same functions, of which some throw while their step is broken. */
const breakable = vi.hoisted(
  () =>
    <Functions extends object>(original: Functions, steps: { readonly [name in keyof Functions]?: string }) => {
      const wrapped = Object.entries(steps).map(([name, step]) => [
        name,
        (...values: unknown[]) => {
          if (broken.step !== step)
            return (original as Record<string, (...all: unknown[]) => unknown>)[name]?.(...values);
          broken.reached += 1;
          throw new TypeError("Cannot read properties of undefined (reading 'x')");
        },
      ]);
      return { ...original, ...Object.fromEntries(wrapped) };
    },
);

vi.mock(import('../../src/builders/execute/send.ts'), async (original) =>
  breakable(await original(), { readBack: 'read-back', withObservation: 'read-back' }),
);
vi.mock(import('../../src/builders/execute/summary.ts'), async (original) =>
  breakable(await original(), {
    changeLine: 'sentence',
    linesOf: 'sentence',
    changeWords: 'sentence',
    undoAfter: 'undo',
  }),
);
vi.mock(import('../../src/writes/sent-change.ts'), async (original) =>
  breakable(await original(), { recordedAnswerOf: 'journal', replyContent: 'wait' }),
);
vi.mock(import('../../src/contract/command-line.ts'), async (original) =>
  breakable(await original(), { commandText: 'printed command' }),
);
vi.mock(import('../../src/commands/deployment/plan.ts'), async (original) =>
  breakable(await original(), { planDeployment: 'follow-up' }),
);
vi.mock(import('../../src/output/render.ts'), async (original) =>
  breakable(await original(), { renderResult: 'output' }),
);

beforeEach(() => {
  broken.step = '';
  broken.reached = 0;
});

async function runBroken({ words, stdin = '', env: own, first }: Write, step: string, more: readonly string[]) {
  const { env, direct, seen } = await faultyService('answer');
  broken.step = '';
  if (first) await run(first, { env: direct, stdin });
  broken.step = step;
  broken.reached = 0;
  const clock = { now: () => new Date('2026-05-04T12:00:00Z'), slept: (ms: number) => seen.sleep(ms) };
  return {
    ...(await run([...words, ...more], { env: { ...env, ...own }, stdin, ...clock })),
    sent: seen.changes.length,
  };
}

/** Says why a run did not tell what the service had done; undefined where it did. */
function faultOf({ code, stdout, stderr, sent }: Awaited<ReturnType<typeof runBroken>>): string | undefined {
  if (/TypeError|Cannot read properties/.test(stderr)) return `text of a JavaScript error: ${stderr}`;
  const isWarned = broken.reached === 0 || stderr.includes('"warning":') || stderr.includes('warning: ');
  if (code === 0 && sent === 1 && stdout !== '' && isWarned) return undefined;
  return `${code}, sent ${sent}, ${stdout}${stderr}`;
}

const inJson = [[], ['--json']];
const steps = [
  ['read-back', [[]]],
  ['sentence', [[]]],
  ['undo', [[]]],
  ['journal', [['--json']]],
  ['printed command', [[]]],
  ['output', inJson],
] as const;

test.each(steps)(
  'where the %s fails after a write was sent, the run tells the truth, and warns',
  async (step, forms) => {
    let reached = 0;
    for (const write of writes) {
      for (const more of forms) {
        const ran = await runBroken(write, step, more);
        expect(faultOf(ran), [...write.words, ...more].join(' ')).toBeUndefined();
        reached += broken.reached;
      }
    }
    expect(reached).toBeGreaterThan(20);
  },
);

test.each([
  ['for people', []],
  ['in JSON', ['--json']],
])('a list with a row of null is a fault of the reply after every write, %s', async (_, more) => {
  const afterChange = (text: string): string => {
    const body = JSON.parse(text);
    return JSON.stringify(Array.isArray(body.response) ? { ...body, response: [null, ...body.response] } : body);
  };
  const faults: string[] = [];
  for (const { words, stdin = '', env: own, first } of writes) {
    const { env, direct, seen } = await faultyService('answer', { afterChange });
    if (first) await run(first, { env: direct, stdin });
    const clock = { now: () => new Date('2026-05-04T12:00:00Z'), slept: (ms: number) => seen.sleep(ms) };
    const { code, stdout, stderr } = await run([...words, ...more], { env: { ...env, ...own }, stdin, ...clock });
    const isTold = code === 0 && stdout !== '' && (seen.readsAfter === 0 || !/TypeError|a bug/.test(stderr));
    if (!isTold) faults.push(`${words.join(' ')}: ${code} ${stdout}${stderr}`);
  }
  expect(faults).toEqual([]);
});

test('where an answer cannot be watched, only a run that waits is pending', async () => {
  const words = ['variant', 'weight', 'va-canary', '25', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
  expect(await runBroken({ words, cut: 0 }, 'wait', [])).toMatchObject({ code: 0, sent: 1 });
  const waited = await runBroken({ words, cut: 0 }, 'wait', ['--wait', '--json']);
  expect(waited).toMatchObject({ code: 8, sent: 1 });
  expect(JSON.parse(waited.stdout)).toMatchObject({ uid: 'va-canary', change: 'queued' });
  expect(JSON.parse(waited.stderr)).toMatchObject({ error: { code: 'pending' } });
});

test('a follow-up that fails leaves the records of the changes before it: 1', async () => {
  const words = ['stack', 'env', 'set', 'LOG_LEVEL=debug', '--redeploy', '-y', '-s', 'shop', '--json'];
  const ran = await runBroken({ words, cut: 0 }, 'follow-up', []);
  expect(ran).toMatchObject({ code: 1, sent: 1 });
  expect(JSON.parse(ran.stdout)).toMatchObject([{ key: 'LOG_LEVEL', change: 'updated', after: 'debug' }]);
  expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'unavailable', exit_code: 1 } });
});
