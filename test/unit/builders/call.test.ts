import { describe, expect, expectTypeOf, it } from 'vitest';
import { call } from '../../../src/builders/call.ts';
import type { Context } from '../../../src/contract/command.ts';
import { integer, oneOf, optional, text } from '../../../src/contract/field.ts';
import { type Operation, operation } from '../../../src/contract/operation.ts';
import { record } from '../../../src/contract/record.ts';
import { acknowledgedReply, page } from '../../../src/contract/reply.ts';
import { runsOf } from '../../support/does.ts';

const Variant = record('variant', { uid: text('UID.') }, ['uid']);
const stack_id = text('Stack.', { target: 'stack' });
const list = operation('GET /stacks/:stack_id/variants', {
  scope: 'redeploy',
  about: 'List the variants.',
  params: { stack_id },
  reply: page(Variant),
});
const update = operation('PUT /stacks/:stack_id/variants/:id', {
  scope: 'redeploy',
  about: 'Change a variant.',
  params: {
    stack_id,
    id: text('UID.', { nameKind: 'variant' }),
    operation: oneOf(['commit', 'percentage'], 'What to do.'),
    share: optional(integer('Share.')),
  },
  reply: acknowledgedReply,
});

/** A context that remembers what it was asked to send. */
function recorder(limit?: number) {
  const sent: unknown[] = [];
  const context = {
    limit,
    call: async (asked: Operation, input: unknown, more: unknown) => {
      sent.push([asked.path, input, more]);
      return 'the reply';
    },
  } as unknown as Context;
  return { sent, context };
}

describe('call', () => {
  it('derives everything from the operation', () => {
    expect(call(update, { examples: ['stackops variant'] })).toMatchObject({
      about: 'Change a variant.',
      params: update.params,
      positionals: ['id'],
      examples: ['stackops variant'],
      calls: [update],
      changes: true,
      output: { kind: 'change', reply: acknowledgedReply },
      wait: 'on request',
      targets: { stacks: 'one', named: ['id'], several: false },
      exits: [],
    });
  });

  it('sends the input', async () => {
    const { sent, context } = recorder();
    const reply = await runsOf(call(update, { examples: [] })).run(context, {
      stack_id: 's',
      id: 'v',
      operation: 'commit',
    });
    expect(reply).toBe('the reply');
    expect(sent).toEqual([[update.path, { stack_id: 's', id: 'v', operation: 'commit' }, {}]]);
  });

  it('passes the limit on, which only a list minds', async () => {
    const { sent, context } = recorder(5);
    await runsOf(call(list, { examples: [] })).run(context, { stack_id: 's' });
    await runsOf(call(update, { examples: [] })).run(context, { stack_id: 's', id: 'v', operation: 'commit' });
    expect(sent.map((request) => (request as readonly unknown[])[2])).toEqual([{ limit: 5 }, { limit: 5 }]);
  });

  it('refuses options that do not fit the operation', () => {
    // @ts-expect-error: there is no param `colour` to type
    expect(() => call(update, { examples: [], positionals: ['colour'] })).toThrow();
    // @ts-expect-error: an acknowledgement has no `uid`
    call(update, { examples: [], present: ({ uid }) => ({ kind: 'value', text: uid }) });
  });

  it('gives the presentation the types of the operation', () => {
    call(list, {
      examples: [],
      present: (value, input) => {
        expectTypeOf(value).toEqualTypeOf<readonly { readonly uid: string }[]>();
        expectTypeOf(input).toEqualTypeOf<{ readonly stack_id: string }>();
        return { kind: 'nothing' };
      },
    });
  });
});
