import { describe, expect, test } from 'vitest';
import { fuzzed, fuzzing } from '../../support/property.ts';
import { type Played, type PlayProgram, type Point, rampPlayer } from '../../support/ramp-process.ts';

const everyMs = 60_000;
const words = '--steps 25,100 --every 1m --interval 10s --initial-delay 5s --min-checks 2 --check-url HEALTH -y';

/** Whole ramps, and the shares above which the application fails before and after the program is killed. */
const ramps = {
  good: { more: '', failAbove: 100 },
  bad: { more: '', failAbove: 30 },
  committed: { more: ' --commit', failAbove: 100 },
} as const;
type Name = keyof typeof ramps;

const savedIn = ({ files }: Pick<Point, 'files'>) => {
  const [text] = [...files].flatMap(([name, one]) => (name.endsWith('.json') ? [one] : []));
  return text === undefined ? undefined : JSON.parse(text);
};
const putsOf = ({ asked }: Played) => asked.filter(({ what }) => what.startsWith('PUT '));
const isActive = ({ variants }: Pick<Point, 'variants'>) =>
  variants.some(({ uid, variant_type }) => uid === 'va-canary' && variant_type === 'active');

/** All points of a ramp at which it may be killed. */
async function pointsOf(play: PlayProgram, name: Name): Promise<readonly Point[]> {
  const points: Point[] = [];
  const { more, failAbove } = ramps[name];
  await play(words + more, { failAbove, reached: (point) => points.push(point) });
  return points;
}

/** Points that a ramp which goes on cannot tell apart, once. */
function different(points: readonly Point[]): readonly Point[] {
  const seen = new Map<string, Point>();
  for (const point of points) {
    const { phase, step, share } = savedIn(point) ?? {};
    seen.set(JSON.stringify([phase, step, share, point.variants]), point);
  }
  return fuzzing ? points : [...seen.values()];
}

/** What a resumed ramp may send: each share after its step has soaked anew, none after a commit. */
function faultsIn(played: Played, { nowMs, variants }: Point): readonly string[] {
  let share = variants.find(({ uid }) => uid === 'va-canary')?.percentage ?? 0;
  let sinceMs = nowMs;
  const faults: string[] = [];
  for (const { what, atMs } of putsOf(played)) {
    const wanted = Number(what.slice('PUT '.length));
    const isNext = Number.isNaN(wanted) ? share === 100 : [25, 100].find((one) => one > share) === wanted;
    const hasSoaked = share === 10 || atMs - sinceMs >= everyMs;
    if (wanted !== 0 && !(isNext && hasSoaked)) faults.push(`${what} at ${share} % after ${atMs - sinceMs} ms`);
    share = wanted;
    sinceMs = atMs;
  }
  return faults;
}

describe.each(Object.keys(ramps) as Name[])('a %s ramp', (name) => {
  test('goes on from wherever it was killed', fuzzed, async () => {
    const play = await rampPlayer();
    const all = await pointsOf(play, name);
    expect(all.length).toBeGreaterThan(70);
    for (const from of different(all)) {
      const saved = savedIn(from);
      const played = await play('--resume -y', { from, failAbove: ramps[name].failAbove });
      const title = `${from.at}, ${saved?.phase} ${saved?.step}\n${played.stderr}`;
      expect(faultsIn(played, from), title).toEqual([]);
      expect([played.code, played.share, isActive(played)], title).toEqual(ending(name, from));
      const isLeft = played.code === 9 && played.share !== 0;
      if (isLeft) expect(played.stderr).toMatch(/\nhint: stackops variant weight va-canary 0 -y -s \S+\n$/);
    }
  });
});

/** Exit code, share, and whether it is the active version: what is true of a ramp that goes on from here. */
function ending(name: Name, from: Point): readonly [code: number, share: unknown, isActive: boolean] {
  const saved = savedIn(from);
  const share = from.variants.find(({ variant_type }) => variant_type === 'canary')?.percentage;
  if (!saved) return [3, share, isActive(from)];
  if (isActive(from)) return [0, undefined, true];
  // A commit that may be on its way is never sent again.
  if (saved.phase === 'committing') return [11, share, false];
  if (saved.phase === 'returning') return [9, 0, false];
  if (name === 'bad') return [9, share === 100 ? 100 : 0, false];
  return name === 'good' ? [0, 100, false] : [0, undefined, true];
}

test.each(['before PUT 25', 'before PUT 100'])(
  'an abort that was taken outlives the process (%s)',
  async (requested) => {
    const play = await rampPlayer();
    const points: Point[] = [];
    await play(words, {
      reached: (point, { request }) => {
        if (point.at === requested) request('abort');
        points.push(point);
      },
    });
    const last = points.findLastIndex((one) => savedIn(one)?.phase !== 'ended' && savedIn(one));
    const from = points.findIndex(({ at }) => at === requested) + 1;
    for (const point of different(points.slice(from, last + 1))) {
      const resumed = await play('--resume -y', { from: point });
      const shares = putsOf(resumed).map(({ what }) => what);
      const title = `${point.at}, ${savedIn(point)?.phase}\n${resumed.stderr}`;
      expect([resumed.code, resumed.share, shares.filter((what) => what !== 'PUT 0')], title).toEqual([9, 0, []]);
    }
  },
);

/** A ramp that was killed while its first step was soaking. */
async function soaking() {
  const play = await rampPlayer();
  const point = (await pointsOf(play, 'good')).find((one) => savedIn(one)?.phase === 'soaking');
  if (!point) throw new Error('it never soaked');
  const name = [...point.files.keys()].find((one) => one.endsWith('.json')) ?? '';
  return { play, point, name };
}

test('a ramp from before yesterday asks before it goes on', async () => {
  const { play, point } = await soaking();
  const late = { ...point, nowMs: point.nowMs + 25 * 3_600_000 };
  const asks = await play('--resume', { from: late });
  expect([asks.code, putsOf(asks)]).toEqual([2, []]);
  expect(asks.stderr).toMatch(/error: "variant ramp" needs -y \(no terminal\);.*\n/);
  expect((await play('--resume -y', { from: late })).code).toBe(0);
});

test('one that went on and was killed again was interrupted, however it had ended before', async () => {
  const { play, point, name } = await soaking();
  const ended = JSON.stringify({ ...savedIn(point), phase: 'ended', ended: 'stopped' });
  const seen: unknown[] = [];
  const from = { ...point, files: new Map(point.files).set(name, ended) };
  await play('--resume', { from, reached: (now) => seen.push(savedIn(now)) });
  expect(seen).toContainEqual(expect.objectContaining({ phase: 'setting' }));
  expect(seen).not.toContainEqual(expect.objectContaining({ phase: 'setting', ended: 'stopped' }));
});

test('what a killed writer left is removed, and an unreadable state is said', async () => {
  const { play, point, name } = await soaking();
  const files = new Map(point.files).set(`${name}.tmp-1`, '{"version":2,"var');
  const resumed = await play('--resume', { from: { ...point, files } });
  expect([resumed.code, [...resumed.files.keys()].filter((one) => one.includes('.tmp-'))]).toEqual([0, []]);
  const torn = new Map(point.files).set(name, '{"version":2,"var');
  const refused = await play('--resume', { from: { ...point, files: torn } });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('invalid JSON at line 1, column ')]);
  expect(putsOf(refused)).toEqual([]);
});
