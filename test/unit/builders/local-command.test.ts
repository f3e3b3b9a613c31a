import { expect, test } from 'vitest';
import { localCommand } from '../../../src/builders/custom-command.ts';
import { record } from '../../../src/contract/record.ts';
import { one } from '../../../src/contract/reply.ts';

const reply = one(record('key', {}, []));
const spec = { about: 'Count.', params: {}, examples: [], moreEffects: [], run: async () => ({}) };

test('a local command has nothing to do with the service, and its reply tells what comes out', () => {
  expect(localCommand({ ...spec, reply })).toMatchObject({
    positionals: [],
    calls: [],
    changes: false,
    isLocal: true,
    output: { kind: 'object', reply },
    wait: 'never',
    targets: { stacks: 'none', named: [], several: false },
    exits: [],
  });
});

test('a local command that tells what it did, or knows the sandbox, says so', () => {
  const output = { kind: 'change', reply } as const;
  const command = localCommand({ ...spec, output, supportsSandbox: true });
  expect(command).toMatchObject({ calls: [], changes: false, output });
  expect(command).not.toHaveProperty('isLocal');
});
