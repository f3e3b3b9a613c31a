import { describe, expect, test } from 'vitest';
import { beginSteps, nextEventMs, transition } from '../../../src/commands/variant/ramp/machine/machine.ts';
import type {
  Event,
  MissedTry,
  Next,
  RampEffect,
  RampRules,
  RampState,
  SetEffect,
  SetOutcome,
} from '../../../src/commands/variant/ramp/machine/state.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { usualRules } from '../../support/ramp.ts';

const minute = 60_000;
const usual: RampRules = { ...usualRules, minChecks: 2 };

/** A ramp by hand: each event at a time, and what the machine wants done. */
function play(more: Partial<RampRules> = {}, share = 0) {
  const rules = { ...usual, ...more };
  let next: Next = beginSteps(rules, share, 0);
  let nowMs = 0;
  let sent = next.effects[0] as SetEffect;
  const take = (event: Event, atMs = nowMs): readonly RampEffect[] => {
    nowMs = atMs;
    next = transition(rules, next.state, event, nowMs);
    sent = (next.effects.find(({ kind }) => kind === 'set') as SetEffect | undefined) ?? sent;
    return next.effects;
  };
  const run = () => (next.state.phase === 'soaking' ? next.state.run : -1);
  return {
    take,
    get state() {
      return next.state;
    },
    get effects() {
      return next.effects;
    },
    set: (outcome: SetOutcome | 'shown', atMs?: number) =>
      take({ kind: 'set', outcome: outcome === 'shown' ? { kind: 'shown', share: sent.share } : outcome }, atMs),
    tick: (atMs: number) => take({ kind: 'tick' }, atMs),
    checked: (result: 'good' | 'failed' | 'held', more: { isNetwork?: boolean; check?: number } = {}) =>
      take({ kind: 'checked', run: run(), check: 0, reason: result, result, ...more }),
    dueMs: () => nextEventMs(rules, next.state, nowMs),
    read: (seen: 'same' | 'nothing', share = next.state.share) =>
      take({ kind: 'read', run: run(), observed: seen === 'same' ? { kind: seen, share } : { kind: seen, waitMs: 0 } }),
  };
}

const shown = 'shown';
const no = new CliError('rejected', 'no');
const missed = (kind: MissedTry['kind'], waitMs = 0): MissedTry => ({ kind, cause: no, waitMs });

/** A step whose share is shown at 0 and whose checks were good twice, one minute before its end. */
function nearEnd(more: Partial<RampRules> = {}) {
  const ramp = play(more);
  ramp.set(shown, 0);
  for (const atMs of [1, 2]) {
    ramp.tick(atMs * minute);
    ramp.checked('good');
  }
  ramp.read('same');
  return ramp;
}

const endOf = ({ state }: { readonly state: RampState }) =>
  state.phase === 'ended' ? { ...state.end, share: state.share, mayHave: state.mayHave } : state.phase;

describe('a step', () => {
  test('sets its share, waits for the first check, and passes by time and good checks alone', () => {
    const ramp = play();
    expect(ramp.effects).toMatchObject([{ kind: 'set', from: { share: 0 }, share: 5, why: 'step' }]);
    expect(ramp.set(shown, 1000)).toEqual([]);
    expect(ramp.dueMs()).toBe(1000 + minute / 2);
    expect(ramp.tick(1000 + minute / 2)).toEqual([
      { kind: 'read', run: 1 },
      { kind: 'check', run: 1, check: 0 },
    ]);
    ramp.checked('good');
    ramp.read('same');
    ramp.tick(2 * minute);
    ramp.checked('good');
    ramp.read('same');
    expect(ramp.tick(10 * minute).map(({ kind }) => kind)).toEqual(['read', 'check']);
    // A check that was begun is waited for.
    expect(ramp.tick(11 * minute)).toEqual([]);
    expect(ramp.checked('good')).toMatchObject([
      { kind: 'report', event: 'step_passed', step: 0 },
      { kind: 'set', from: { share: 5 }, share: 25, why: 'step' },
    ]);
  });

  test('never passes while a check is held, whatever time passes', () => {
    const ramp = nearEnd({ holdLimitMs: 1e12 });
    ramp.tick(9 * minute);
    expect(ramp.checked('held')).toEqual([{ kind: 'report', event: 'held', failure: { check: 0, reason: 'held' } }]);
    for (const hours of [1, 10, 1000]) {
      ramp.tick(hours * 60 * minute);
      ramp.checked('held');
      expect(ramp.state).toMatchObject({ phase: 'soaking', share: 5 });
    }
    ramp.read('same');
    ramp.tick(2000 * 60 * minute);
    expect(ramp.checked('good').map((one) => ('event' in one ? one.event : one.kind))).toEqual([
      'resumed',
      'step_passed',
      'set',
    ]);
  });

  test('does not pass with fewer good checks than it needs, nor after a last one that failed', () => {
    const few = play({ minChecks: 3 });
    few.set(shown, 0);
    for (const atMs of [1, 2]) {
      few.tick(atMs * minute);
      few.checked('good');
    }
    few.read('same');
    few.tick(20 * minute);
    expect(few.state.phase).toBe('soaking');
    const last = nearEnd({ failureLimit: 1 });
    last.tick(9.9 * minute);
    last.checked('failed');
    last.tick(10 * minute);
    expect(last.state).toMatchObject({ phase: 'soaking', share: 5 });
  });

  test('each check must be good', () => {
    const ramp = play({ checkCount: 2, minChecks: 1 });
    ramp.set(shown, 0);
    ramp.tick(minute);
    ramp.checked('good', { check: 0 });
    ramp.read('same');
    ramp.tick(11 * minute);
    expect(ramp.state.phase).toBe('soaking');
    ramp.read('same');
    ramp.checked('good', { check: 0 });
    ramp.checked('good', { check: 1 });
    expect(ramp.state.phase).toBe('setting');
  });

  test('the last one soaks like every other, and ends the ramp', () => {
    const ramp = nearEnd({ steps: [5] });
    ramp.tick(10 * minute);
    ramp.read('same');
    ramp.checked('good');
    expect(endOf(ramp)).toEqual({ kind: 'passed', share: 5 });
  });
});

describe('a failure', () => {
  test.each([
    ['abort', 'returning'],
    ['pause', 'ended'],
  ] as const)('%s: %s', (onFailure, phase) => {
    const ramp = nearEnd({ onFailure });
    ramp.tick(5 * minute);
    ramp.checked('failed');
    expect(ramp.state.phase).toBe(phase);
    expect(ramp.effects).toMatchObject(
      phase === 'ended' ? [] : [{ kind: 'set', from: { share: 5 }, share: 0, why: 'return' }],
    );
  });

  test('counts up to its limit', () => {
    const ramp = nearEnd({ failureLimit: 2 });
    for (const atMs of [3, 4]) {
      ramp.tick(atMs * minute);
      ramp.checked('failed');
      expect(ramp.state.phase).toBe('soaking');
    }
    ramp.tick(5 * minute);
    ramp.checked('failed');
    expect(ramp.state.phase).toBe('returning');
  });

  test('is done only when the share is shown', () => {
    const failing = () => {
      const ramp = nearEnd({ abortTo: 1 });
      ramp.tick(5 * minute);
      ramp.checked('failed');
      return ramp;
    };
    const ends = (outcome: SetOutcome | 'shown') => {
      const ramp = failing();
      ramp.set(outcome);
      return endOf(ramp);
    };
    expect(ends(shown)).toMatchObject({ kind: 'failed', share: 1, at: 5 });
    expect(ends({ kind: 'unknown', what: 'active', why: 'it became active' })).toMatchObject({
      kind: 'unknown',
      what: 'active',
      share: 5,
    });
    expect(ends({ kind: 'changed', observed: 'it moved' })).toMatchObject({
      kind: 'changed',
      observed: 'it moved',
      failure: { check: 0 },
    });
  });
});

describe('our own network', () => {
  test('a lost check counts where the service can be read, and is blind where it cannot', () => {
    const failing = nearEnd();
    failing.tick(3 * minute);
    failing.read('same');
    expect(failing.checked('failed', { isNetwork: true })).toEqual([{ kind: 'read', run: 1 }]);
    failing.read('same');
    expect(failing.state.phase).toBe('returning');
    const blind = nearEnd();
    blind.tick(3 * minute);
    blind.read('same');
    blind.checked('failed', { isNetwork: true });
    blind.read('nothing');
    expect(blind.state).toMatchObject({ phase: 'soaking', stats: [{ last: 'unreachable' }] });
    // Nothing is checked until the service can be read; then once more, and that counts.
    expect(blind.tick(5 * minute)).toEqual([{ kind: 'read', run: 1 }]);
    expect(blind.read('same')).toEqual([{ kind: 'check', run: 1, check: 0 }]);
    blind.checked('failed', { isNetwork: true });
    expect(blind.state.phase).toBe('returning');
  });

  test('a service that cannot be read ends it after the longest hold, and its share stays', () => {
    const ramp = nearEnd();
    ramp.tick(3 * minute);
    ramp.checked('good');
    ramp.read('nothing');
    ramp.tick(20 * minute);
    expect(ramp.state.phase).toBe('soaking');
    ramp.checked('good');
    ramp.tick(33 * minute);
    expect(endOf(ramp)).toEqual({ kind: 'unreachable', share: 5 });
  });
});

test('a hold ends after its limit, counted from the first one since the last good result', () => {
  const ramp = nearEnd();
  for (const atMs of [3, 10, 20]) {
    ramp.tick(atMs * minute);
    ramp.checked('held');
  }
  ramp.tick(32.9 * minute);
  expect(ramp.state.phase).toBe('soaking');
  ramp.tick(33 * minute);
  expect(endOf(ramp)).toEqual({ kind: 'held', failure: { check: 0, reason: 'held' }, share: 5 });
});

test('a machine that slept begins its step anew, and takes no result from before', () => {
  const ramp = nearEnd();
  ramp.tick(9 * minute);
  const before = ramp.state;
  ramp.take({ kind: 'slept' }, 9.5 * minute);
  expect(ramp.state).toMatchObject({ run: 2, sinceMs: 9.5 * minute, stats: [{ good: 0 }] });
  expect(ramp.effects).toEqual([{ kind: 'read', run: 2 }]);
  ramp.take({ kind: 'checked', run: 1, check: 0, result: 'failed', reason: '' });
  ramp.take({ kind: 'read', run: 1, observed: { kind: 'changed', observed: 'old' } });
  expect(ramp.state.phase).toBe(before.phase);
});

test('a share that cannot be sent leaves the step where it was, until the service can be read', () => {
  const ramp = nearEnd();
  ramp.tick(10 * minute);
  ramp.read('same');
  ramp.checked('good');
  expect(ramp.state.phase).toBe('setting');
  ramp.set(missed('unread'), 12 * minute);
  expect(ramp.state).toMatchObject({ phase: 'soaking', share: 5, unreadSinceMs: 12 * minute });
  ramp.tick(12.5 * minute);
  ramp.checked('good');
  expect(ramp.state.phase).toBe('soaking');
  ramp.read('same');
  expect(ramp.state.phase).toBe('setting');
});

test('a first share that cannot be sent is sent once the service can be read, or the ramp ends after the longest hold', () => {
  const first = play();
  first.set(missed('unread'));
  expect(first.tick(minute / 2)).toMatchObject([{ kind: 'read' }, { kind: 'check' }]);
  first.checked('good');
  expect(first.read('same')).toMatchObject([{ kind: 'set', from: { share: 0 }, share: 5 }]);
  const never = play();
  never.set(missed('unread'));
  never.tick(30 * minute);
  expect(endOf(never)).toEqual({ kind: 'unreachable', share: 0 });
});

describe('a share that was sent while the service cannot be read', () => {
  const unseen = (more: Partial<RampRules> = {}, waitMs = 0) => {
    const ramp = nearEnd(more);
    ramp.tick(10 * minute);
    ramp.read('same');
    ramp.checked('good');
    ramp.set(missed('unseen', waitMs), 11 * minute);
    return ramp;
  };

  test('may be there: checks go on, and a read that shows it begins its step', () => {
    const ramp = unseen();
    expect(ramp.state).toMatchObject({ phase: 'soaking', step: 0, share: 5, mayHave: 25 });
    expect(ramp.tick(11.5 * minute)).toMatchObject([{ kind: 'read' }, { kind: 'check' }]);
    ramp.read('same', 25);
    expect(ramp.state).toMatchObject({ phase: 'soaking', step: 1, share: 25, stats: [{ good: 0 }] });
    expect(ramp.state).not.toHaveProperty('mayHave');
  });

  test('is sent again when the old share is shown', () => {
    const ramp = unseen();
    ramp.tick(11.5 * minute);
    ramp.checked('good');
    expect(ramp.read('same').at(-1)).toMatchObject({ kind: 'set', from: { share: 5 }, share: 25 });
  });

  test('is taken back after a failure, whichever share is shown', () => {
    const ramp = unseen();
    ramp.tick(11.5 * minute);
    expect(ramp.checked('failed')).toMatchObject([{ kind: 'set', from: { share: 5, mayHave: 25 }, share: 0 }]);
  });

  test('ends the ramp after the longest hold; Retry-After is heeded until then', () => {
    const ramp = unseen({}, 3_600_000);
    expect(ramp.tick(40 * minute)).toMatchObject([{ kind: 'check' }]);
    ramp.checked('good');
    ramp.tick(41 * minute);
    expect(endOf(ramp)).toEqual({ kind: 'unreachable', share: 5, mayHave: 25 });
  });

  test('a stopped process keeps it, and soaks anew', () => {
    const ramp = unseen();
    ramp.take({ kind: 'slept' }, 90 * minute);
    expect(ramp.state).toMatchObject({ phase: 'soaking', share: 5, mayHave: 25, unreadSinceMs: 90 * minute });
  });
});

describe('the way back', () => {
  const returning = (more: Partial<RampRules> = {}) => {
    const ramp = nearEnd(more);
    ramp.tick(5 * minute);
    ramp.checked('failed');
    return ramp;
  };
  const kinds = ['rejected', 'unread', 'old', 'unseen'] as const;

  test.each(kinds)('%s: is tried again after 5, 10, 20, 40, then 60 seconds, and each try is an event', (kind) => {
    const ramp = returning();
    let atMs = 5 * minute;
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      expect(ramp.set(missed(kind), atMs)).toEqual([
        { kind: 'report', event: 'return_failed', reason: 'no', waitMs: seconds * 1000 },
      ]);
      expect([ramp.dueMs(), ramp.tick(atMs + seconds * 1000 - 1)]).toEqual([atMs + seconds * 1000, []]);
      atMs += seconds * 1000;
      expect(ramp.tick(atMs)).toMatchObject([{ kind: 'set', why: 'return', share: 0 }]);
    }
    ramp.set(shown);
    expect(endOf(ramp)).toMatchObject({ kind: 'failed', share: 0 });
  });

  test('waits as long as the service asks, and at most a minute', () => {
    const ramp = returning();
    expect(ramp.set(missed('unread', 30_000))).toMatchObject([{ waitMs: 30_000 }]);
    ramp.tick(6 * minute);
    expect(ramp.set(missed('unread', 3_600_000))).toMatchObject([{ waitMs: 60_000 }]);
  });

  test('ends after the longest hold, counted from its beginning', () => {
    const ramp = returning();
    ramp.set(missed('rejected'), 34.9 * minute);
    expect(ramp.state.phase).toBe('returning');
    ramp.tick(35 * minute);
    ramp.set(missed('rejected'), 35 * minute);
    expect(endOf(ramp)).toMatchObject({ kind: 'unknown', what: 'return', share: 5, failure: { check: 0 } });
  });

  test('no request and no signal ends it', () => {
    const ramp = returning();
    ramp.set(missed('rejected'));
    const events: readonly Event[] = [stopEvent('pause'), stopEvent('abort'), { kind: 'interrupt' }, { kind: 'slept' }];
    for (const event of events) expect([ramp.take(event), ramp.state.phase]).toEqual([[], 'returning']);
  });
});

describe('a question before each step', () => {
  const asking = (more: Partial<RampRules> = {}) => {
    const ramp = nearEnd({ confirmSteps: true, ...more });
    ramp.tick(9.9 * minute);
    ramp.checked('good');
    ramp.read('same');
    expect(ramp.tick(10 * minute)).toEqual([{ kind: 'ask', question: 'step' }]);
    return ramp;
  };

  test('checks go on while it is open, and a failure answers it', () => {
    const ramp = asking();
    expect(ramp.tick(30 * minute).map(({ kind }) => kind)).toEqual(['read', 'check']);
    ramp.checked('failed');
    expect(ramp.state).toMatchObject({ phase: 'returning' });
  });

  test('yes goes on once the checks are good', () => {
    const ramp = asking();
    ramp.tick(30 * minute);
    ramp.take({ kind: 'answered', question: 'step', answer: 'go' });
    expect(ramp.state.phase).toBe('soaking');
    ramp.checked('good');
    expect(ramp.state.phase).toBe('setting');
  });

  test('yes counts only while all checks are good: after a hold it asks again', () => {
    const held = asking();
    held.tick(30 * minute);
    held.take({ kind: 'answered', question: 'step', answer: 'go' });
    held.checked('held');
    held.tick(31 * minute);
    expect(held.checked('good').at(-1)).toEqual({ kind: 'ask', question: 'step' });
    const late = asking();
    late.tick(30 * minute);
    late.checked('held');
    late.take({ kind: 'answered', question: 'step', answer: 'go' });
    late.tick(31 * minute);
    expect(late.checked('good').at(-1)).toEqual({ kind: 'ask', question: 'step' });
    expect(late.state.phase).toBe('soaking');
  });

  test('yes does not outlast a share that could not be sent', () => {
    const ramp = asking();
    ramp.tick(30 * minute);
    ramp.checked('good');
    ramp.read('same');
    ramp.take({ kind: 'answered', question: 'step', answer: 'go' });
    expect(ramp.state.phase).toBe('setting');
    ramp.set(missed('unread'), 32 * minute);
    ramp.tick(33 * minute);
    ramp.checked('good');
    expect(ramp.read('same').at(-1)).toEqual({ kind: 'ask', question: 'step' });
  });

  test('any other answer ends it', () => {
    const no = asking();
    no.take({ kind: 'answered', question: 'step', answer: 'pause' });
    expect(endOf(no)).toEqual({ kind: 'stopped', how: 'pause', by: 'answer', share: 5 });
  });

  test('is asked before a commit, and not after the last step without one', () => {
    asking({ steps: [5], commit: true });
    const last = nearEnd({ steps: [5], confirmSteps: true });
    last.tick(9.9 * minute);
    last.checked('good');
    last.tick(10 * minute);
    expect(endOf(last)).toEqual({ kind: 'passed', share: 5 });
  });
});

describe('a stop', () => {
  const stop = (how: 'pause' | 'abort'): Event => ({ kind: 'stop', how, by: 'SIGTERM' });

  test('while a share is set waits for what comes of it', () => {
    const paused = play();
    paused.take(stop('pause'));
    expect(paused.state.phase).toBe('setting');
    paused.set(shown);
    expect(endOf(paused)).toEqual({ kind: 'stopped', how: 'pause', by: 'SIGTERM', share: 5 });
    const aborted = play();
    aborted.take(stop('abort'));
    expect(aborted.set(shown)).toMatchObject([{ kind: 'set', from: { share: 5 }, share: 0, why: 'return' }]);
    aborted.set(shown);
    expect(endOf(aborted)).toMatchObject({ kind: 'stopped', how: 'abort', share: 0 });
  });

  test.each(['rejected', 'unread', 'old', 'unseen'] as const)('wins after a request that ended as %s', (kind) => {
    const wasSent = kind === 'old' || kind === 'unseen';
    const aborted = play({}, 2);
    aborted.take(stop('abort'));
    const from = wasSent ? { share: 2, mayHave: 5 } : { share: 2 };
    expect(aborted.set(missed(kind))).toMatchObject([{ kind: 'set', why: 'return', from, share: 0 }]);
    const paused = play({}, 2);
    paused.take(stop('pause'));
    paused.set(missed(kind));
    expect(endOf(paused)).toMatchObject({ kind: 'stopped', how: 'pause', ...from });
  });

  test('does not win when another user changed the share, or the canary became the active version', () => {
    for (const outcome of [
      { kind: 'changed', observed: 'it moved' },
      { kind: 'unknown', what: 'active', why: 'it became active' },
    ] as const) {
      const ramp = play();
      ramp.take(stop('abort'));
      ramp.set(outcome);
      expect(endOf(ramp)).toMatchObject(outcome);
    }
  });

  test('never raises a share', () => {
    const ramp = play({ abortTo: 4 }, 2);
    ramp.take(stop('abort'));
    expect(ramp.set(missed('unread'))).toEqual([]);
    expect(endOf(ramp)).toMatchObject({ how: 'abort', share: 2 });
    const lost = play({ abortTo: 4 }, 2);
    lost.take(stop('abort'));
    expect(lost.set(missed('unseen'))).toMatchObject([{ kind: 'set', from: { share: 2, mayHave: 5 }, share: 4 }]);
  });

  test('Ctrl-C asks, and a second one pauses at once', () => {
    const ramp = nearEnd();
    expect(ramp.take({ kind: 'interrupt' })).toEqual([{ kind: 'ask', question: 'stop' }]);
    ramp.tick(20 * minute);
    expect(ramp.state.phase).toBe('soaking');
    ramp.take({ kind: 'interrupt' });
    expect(endOf(ramp)).toEqual({ kind: 'stopped', how: 'pause', by: 'SIGINT', share: 5 });
    const setting = play();
    setting.take({ kind: 'interrupt' });
    setting.take({ kind: 'answered', question: 'stop', answer: 'abort' });
    setting.set(shown);
    expect(setting.state.phase).toBe('returning');
  });
});

describe('a commit', () => {
  const committing = () => {
    const ramp = nearEnd({ steps: [5], commit: true });
    ramp.tick(9.9 * minute);
    ramp.checked('good');
    ramp.read('same');
    expect(ramp.tick(10 * minute)).toContainEqual(expect.objectContaining({ kind: 'set', why: 'commit' }));
    return ramp;
  };

  test('is never followed by a share, whatever happens', () => {
    const events: readonly Event[] = [
      stopEvent('abort'),
      { kind: 'interrupt' },
      { kind: 'slept' },
      { kind: 'tick' },
      { kind: 'checked', run: 1, check: 0, result: 'failed', reason: '' },
      { kind: 'read', run: 1, observed: { kind: 'changed', observed: 'x' } },
      { kind: 'answered', question: 'stop', answer: 'abort' },
    ];
    const ramp = committing();
    for (const event of events) expect(ramp.take(event)).toEqual([]);
    expect(ramp.state.phase).toBe('committing');
  });

  test.each([
    ['shown', 'committed'],
    [missed('old'), 'unknown'],
    [missed('unseen'), 'unknown'],
    [missed('rejected'), 'refused'],
    [{ kind: 'changed', observed: 'gone' }, 'changed'],
  ] as const)('%o ends it as %s', (outcome, kind) => {
    const ramp = committing();
    expect(ramp.set(outcome)).toEqual([]);
    expect(endOf(ramp)).toMatchObject({ kind });
  });

  test('that could not be sent is held, or what was requested meanwhile follows', () => {
    const ramp = committing();
    ramp.set(missed('unread'));
    expect(ramp.state).toMatchObject({ phase: 'soaking', share: 5, unreadSinceMs: 10 * minute });
    const aborted = committing();
    aborted.take(stopEvent('abort'));
    expect(aborted.set(missed('unread'))).toMatchObject([{ kind: 'set', why: 'return' }]);
  });
});

function stopEvent(how: 'pause' | 'abort'): Event {
  return { kind: 'stop', how, by: 'request' };
}

test('an answer of the service that shows something else ends a step', () => {
  const ends = (outcome: SetOutcome) => {
    const ramp = play();
    ramp.set(outcome);
    return endOf(ramp);
  };
  expect(ends({ kind: 'changed', observed: 'gone' })).toEqual({ kind: 'changed', observed: 'gone', share: 0 });
  expect(ends(missed('rejected'))).toEqual({ kind: 'refused', cause: no, share: 0 });
});

test('what changed or may not be read ends it untouched', () => {
  const changed = nearEnd();
  changed.tick(3 * minute);
  expect(changed.take({ kind: 'read', run: 1, observed: { kind: 'changed', observed: 'va has 0 %' } })).toEqual([]);
  expect(endOf(changed)).toEqual({ kind: 'changed', observed: 'va has 0 %', share: 5 });
  const refused = nearEnd();
  refused.tick(3 * minute);
  refused.take({ kind: 'read', run: 1, observed: { kind: 'refused', cause: no } });
  expect(endOf(refused)).toEqual({ kind: 'refused', cause: no, share: 5 });
});

test('every event in every state is taken, and an end is final', () => {
  const end = nearEnd();
  end.take(stopEvent('pause'));
  const returning = nearEnd();
  returning.take(stopEvent('abort'));
  const committing = nearEnd({ steps: [5], commit: true });
  committing.tick(9.9 * minute);
  committing.checked('good');
  committing.read('same');
  committing.tick(10 * minute);
  const states = [play().state, nearEnd().state, returning.state, end.state, committing.state] as const;
  const events: Readonly<Record<string, Event>> = {
    tick: { kind: 'tick' },
    slept: { kind: 'slept' },
    interrupt: { kind: 'interrupt' },
    pause: stopEvent('pause'),
    abort: stopEvent('abort'),
    shown: { kind: 'set', outcome: { kind: 'shown', share: 5 } },
    unread: { kind: 'set', outcome: missed('unread') },
    good: { kind: 'checked', run: 1, check: 0, result: 'good', reason: '' },
    'not ours': { kind: 'checked', run: 9, check: 7, result: 'failed', reason: '' },
    same: { kind: 'read', run: 1, observed: { kind: 'same', share: 5 } },
    nothing: { kind: 'read', run: 1, observed: { kind: 'nothing', waitMs: 0 } },
    go: { kind: 'answered', question: 'step', answer: 'go' },
    no: { kind: 'answered', question: 'stop', answer: 'abort' },
  };
  const table = states.map((state) => {
    const cells = Object.entries(events).map(([name, event]) => {
      const next = transition(usual, state, event, 3 * minute);
      if (state.phase === 'ended') expect(next).toEqual({ state, effects: [] });
      const done = [next.state.phase, ...next.effects.map(({ kind }) => kind)].join('+');
      return done === state.phase ? '' : `${name} ${done}`;
    });
    return [state.phase, ...cells.filter(Boolean)].join(', ');
  });
  expect(table).toEqual([
    'setting, interrupt setting+ask, shown soaking, unread soaking',
    'soaking, tick soaking+read+check, slept soaking+read, interrupt soaking+ask, pause ended, abort returning+set, same soaking+check, nothing soaking+check',
    'returning, shown ended, unread returning+report',
    'ended',
    'committing, shown ended, unread soaking',
  ]);
});

test('a ramp that goes on soaks its step anew', () => {
  expect(beginSteps(usual, 25, 7).state).toMatchObject({
    phase: 'soaking',
    step: 1,
    share: 25,
    sinceMs: 7,
  });
});
