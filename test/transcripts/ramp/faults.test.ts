import { describe, expect, test } from 'vitest';
import { fuzzed, fuzzing } from '../../support/property.ts';
import { type Fate, type Played, type PlayProgram, rampPlayer } from '../../support/ramp-process.ts';

const words =
  '--steps 25,100 --every 40s --interval 20s --initial-delay 5s --min-checks 2 --hold-limit 2m --check-url HEALTH -y';
const fates: readonly Fate[] = ['lost', 'reset', 503, 'throttled'];

/** Whole ramps, and how they end. Before `since`, a number of a request, they are alike. */
const ramps = {
  good: { since: 0, more: '', failAbove: 100, puts: ['25', '100'], end: [0, 100] },
  bad: { since: 12, more: '', failAbove: 30, puts: ['25', '100', '0'], end: [9, 0] },
  committed: { since: 14, more: ' --commit', failAbove: 100, puts: ['25', '100', 'commit'], end: [0, undefined] },
} as const;
type Name = keyof typeof ramps;

/** A request of a whole ramp, and what befalls it. */
interface Try {
  readonly at: number;
  readonly what: string;
  readonly meets: Fate;
}

const putsOf = ({ asked }: Played) =>
  asked.filter(({ what }) => what.startsWith('PUT ')).map(({ what }) => what.slice('PUT '.length));
const playerOf = (name: Name, play: PlayProgram) => (fate?: (at: number) => Fate | undefined) => {
  const { more, failAbove } = ramps[name];
  return play(words + more, { failAbove, ...(fate && { fate }) });
};

/** In `npm test` each request meets one fault after the other, and those in `isWhole` each of them. */
function tries({ asked }: Played, since: number, isWhole: (what: string) => boolean): readonly Try[] {
  return asked.flatMap(({ what }, at) => {
    if (!fuzzing && at < since) return [];
    const met = fates.filter((_, one) => fuzzing || isWhole(what) || one === at % fates.length);
    return met.map((meets) => ({ at, what, meets }));
  });
}

type Outcome = readonly [puts: readonly string[], code: number, share: unknown];

/** What is sent, and how a ramp ends, where one request meets a fault. */
function after(name: Name, one: Try, whole: Played): Outcome {
  const { at, what, meets } = one;
  const { puts, end } = ramps[name];
  if (meets === 'throttled' && !(name === 'bad' && at > lastStep(whole))) return afterThrottled(at, whole);
  const isCarriedOut = meets === 'reset';
  // A commit is sent once, whatever comes of it.
  if (what === 'PUT commit' && !isCarriedOut) return [puts, 11, 100];
  const again = isCarriedOut ? undefined : what.replace('PUT ', '');
  return [puts.flatMap((one) => (one === again ? [one, one] : [one])), ...end];
}

/** The service wants no request until the next full hour, which is longer than the hold. */
function afterThrottled(at: number, { asked }: Played): Outcome {
  const sent = asked
    .slice(0, at + 1)
    .flatMap(({ what }) => (what.startsWith('PUT ') ? [what.slice('PUT '.length)] : []));
  const carriedOut = asked.slice(0, at).filter(({ what }) => what.startsWith('PUT '));
  const share = Number(carriedOut.at(-1)?.what.slice('PUT '.length) ?? 10);
  if (Number.isNaN(share)) return [sent, 11, undefined];
  return [sent, 7, share];
}

/** The number of the request that sets the share at which a bad ramp begins its way back. */
function lastStep({ asked }: Played): number {
  return asked.findIndex(({ what }) => what === 'PUT 100');
}

describe.each(Object.keys(ramps) as Name[])('a %s ramp', (name) => {
  const { since, puts } = ramps[name];

  test('ends as it should whichever request meets a fault', fuzzed, async () => {
    const play = playerOf(name, await rampPlayer());
    const whole = await play();
    for (const one of tries(whole, since, (what) => what.startsWith('PUT '))) {
      const played = await play((at) => (at === one.at ? one.meets : undefined));
      const title = `${one.meets} at ${one.at} ${one.what}\n${played.stderr}`;
      expect([putsOf(played), played.code, played.share], title).toEqual(after(name, one, whole));
      const isCommit = one.what === 'PUT commit';
      expect(played.asked.length, title).toBeLessThanOrEqual(whole.asked.length + (isCommit ? 32 : 9));
    }
  });

  test('says what the share is, or that it is not known, where all requests fail from one on', fuzzed, async () => {
    const play = playerOf(name, await rampPlayer());
    const whole = await play();
    for (const { at, what, meets } of tries(whole, since, () => false)) {
      const played = await play((one) => (one >= at ? meets : undefined));
      const title = `${meets} from ${at} ${what}\n${played.stderr}`;
      const sent = putsOf(played);
      expect(sent, title).toEqual(puts.slice(0, sent.length));
      const isCommitted =
        whole.asked[at - 1]?.what === 'PUT commit' || (what === 'PUT commit' && meets !== 'throttled');
      const isCarriedOut = at > lastStep(whole) || (what === 'PUT 100' && meets === 'reset');
      const isReturning = name === 'bad' && isCarriedOut;
      expect(played.code, title).toBe(isCommitted || isReturning ? 11 : 7);
      expect(played.stderr, title).toMatch(
        played.code === 11 ? /hint: stackops variant (?:weight va-canary 0 -y|list) / : told(at, played),
      );
    }
  });
});

test.each(Object.keys(ramps) as Name[])(
  'a request of a %s ramp that is never answered counts as lost',
  async (name) => {
    const play = await rampPlayer();
    const { more, failAbove, since } = ramps[name];
    const within = { failAbove, env: { STACKOPS_TIMEOUT: '1s' } };
    const whole = await play(words + more, within);
    const first = whole.asked.findIndex(({ what }) => what.startsWith('PUT '));
    const hanging = whole.asked
      .map(({ what }, at) => ({ at, what }))
      .filter(({ at, what }) => at >= since && (what.startsWith('PUT ') || at === first + 3));
    for (const one of hanging) {
      const played = await play(words + more, { ...within, fate: (at) => (at === one.at ? 'hang' : undefined) });
      const title = `${one.at} ${one.what}\n${played.stderr}`;
      expect([putsOf(played), played.code, played.share], title).toEqual(after(name, { ...one, meets: 'lost' }, whole));
      if (one.what.startsWith('GET'))
        expect(played.stderr).toMatch(/could not be read at [\d:]+: no response within the timeout of 1 s\n/);
    }
  },
);

test.each<Fate>(['lost', 503])('a service that is down (%s) is asked at most 4 times a minute', async (meets) => {
  const play = await rampPlayer();
  const long = words.replace('40s', '10m');
  const whole = await play(long);
  const down = whole.asked.findIndex(({ what }) => what.startsWith('PUT ')) + 4;
  const { asked, code } = await play(long, { fate: (at) => (at >= down ? meets : undefined) });
  const times = asked.slice(down).map(({ atMs }) => atMs);
  const inMinute = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length);
  expect([code, Math.max(...inMinute)]).toEqual([7, 4]);
});

test('deployments that may be read only later do not count as new ones', async () => {
  const play = await rampPlayer();
  const played = await play(words, { fate: (at) => (at === 1 ? 403 : undefined) });
  expect(played.stderr).toContain('warning: the token may not read deployments: a new one does not end the ramp\n');
  expect([putsOf(played), played.code]).toEqual([['25', '100'], 0]);
});

/** At the first two requests nothing has begun. */
function told(at: number, { share }: Played): RegExp {
  return at < 2 ? /^error: / : new RegExp(`va-canary keeps (?:\\d+ % or )?${share} %`);
}
