import { expect, test } from 'vitest';
import { endingOf } from '../../../src/commands/variant/ramp/ending.ts';
import { transition } from '../../../src/commands/variant/ramp/machine/machine.ts';
import type { RampEnd } from '../../../src/commands/variant/ramp/machine/state.ts';
import { usualRules } from '../../support/ramp.ts';

const rules = { ...usualRules, steps: [25, 100], initialDelayMs: 0, minChecks: 1, holdLimitMs: 600_000 };

test('a failed check is named, too, where somebody else moved the share before it could be taken back', () => {
  const failure = { check: 0, reason: 'exit code 1', output: ['no answer'] };
  const failed: RampEnd = { kind: 'failed', failure, how: 'abort', at: 25 };
  const moved = { kind: 'set', outcome: { kind: 'changed', observed: 'variant va has 30 % now, not 25 %' } } as const;
  const { state } = transition(
    rules,
    { phase: 'returning', share: 25, sends: 0, tries: 1, sinceMs: 0, end: failed },
    moved,
    0,
  );
  if (state.phase !== 'ended') throw new Error(`the ramp is ${state.phase}`);
  const canary = { stack_id: 'shop', uid: 'va', commit: 'b', activeCommit: 'a', newestDeployment: 7 };
  const place = { canary, rules, shareBefore: 10, checks: [{ name: 'health.sh' }] };
  const { error, checkOutput } = endingOf(state, place);
  expect(error?.message).toBe(
    'check health.sh failed: exit code 1; variant va has 30 % now, not 25 %; the ramp ended and changed nothing more',
  );
  expect([error?.kind, checkOutput]).toEqual(['rejected', ['no answer']]);
});
