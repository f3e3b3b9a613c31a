import { expect, test } from 'vitest';
import { record } from '../../../src/contract/record.ts';
import { one } from '../../../src/contract/reply.ts';
import { local } from '../../../src/builders/local-command.ts';

const reply = one(record('key', {}, []));
const spec = { about: 'Count.', params: {}, examples: [], run: async () => ({}) };

test('a local command has nothing to do with the service, and its reply tells what comes out', () => {
  expect(local({ ...spec, reply })).toMatchObject({
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
  const command = local({ ...spec, output, knowsSandbox: true });
  expect(command).toMatchObject({ calls: [], changes: false, output });
  expect(command).not.toHaveProperty('isLocal');
});
