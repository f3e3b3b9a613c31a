import { expect, test } from 'vitest';
import { changeEach } from '../../../src/builders/execute/change-each.ts';
import type { CommandLine } from '../../../src/contract/command-line.ts';
import { CliError } from '../../../src/errors/cli-error.ts';

function resume(item: number): CommandLine {
  return { path: 'action wait', operands: [String(item)] };
}

function waiting(item: number): CliError {
  return new CliError('interrupted', `stopped waiting; action ${item} continues`, {
    extra: { accepted: true },
    hint: resume(item),
  });
}

const batch = {
  nameOf: (item: number) => `p${item}`,
  unfinishedRow: (item: number) => ({ item }),
};

test('what goes on has one line that watches all of it', async () => {
  const changeItem = async (item: number) => {
    throw waiting(item);
  };
  await expect(changeEach({ keepGoing: false }, [1, 2], { ...batch, changeItem })).rejects.toMatchObject({
    kind: 'interrupted',
    message: 'p1: stopped waiting; action 1 continues. p2: stopped waiting; action 2 continues.',
    details: { hint: [resume(1), resume(2)] },
  });
});

test('beside a failure, the failure is what the hint is for', async () => {
  const refused = new CliError('rejected', 'no', { hint: 'stackops stack list' });
  const changeItem = async (item: number) => {
    throw item === 1 ? refused : waiting(item);
  };
  await expect(changeEach({ keepGoing: true }, [1, 2], { ...batch, changeItem })).rejects.toMatchObject({
    kind: 'rejected',
    message: 'p1 failed: no. p2: stopped waiting; action 2 continues.',
    details: { hint: 'stackops stack list' },
  });
});
