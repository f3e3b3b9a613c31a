import { describe, expect, it } from 'vitest';
import { commandWrites } from '../../src/contract/command.ts';
import { integer, oneOf, optional, text } from '../../src/contract/field.ts';
import { operation } from '../../src/contract/operation.ts';
import { record } from '../../src/contract/record.ts';
import { acknowledged, page } from '../../src/contract/reply.ts';
import { call } from '../../src/kinds/call.ts';
import { script } from '../../src/kinds/script.ts';

const Variant = record('variant', { uid: text('UID.') }, ['uid']);
const stack_id = text('Stack.', { place: 'stack' });
const list = operation({
  method: 'GET',
  path: '/stacks/:stack_id/variants',
  scope: 'redeploy',
  about: 'List the variants.',
  params: { stack_id },
  reply: page(Variant),
});
const update = operation({
  method: 'PUT',
  path: '/stacks/:stack_id/variants/:id',
  scope: 'redeploy',
  about: 'Change a variant.',
  params: {
    stack_id,
    id: text('UID.'),
    operation: oneOf(['commit', 'percentage'], 'What to do.'),
    share: optional(integer('Share.')),
  },
  reply: acknowledged,
});

describe('commandWrites', () => {
  it('is true when any call writes', () => {
    const run = async () => undefined;
    expect(commandWrites(call(list, { examples: [] }))).toBe(false);
    expect(commandWrites(call(update, { examples: [] }))).toBe(true);
    expect(commandWrites(script({ about: 'Both.', params: {}, calls: [list, update], run }))).toBe(true);
    expect(commandWrites(script({ about: 'None.', params: {}, calls: [], run }))).toBe(false);
  });
});
