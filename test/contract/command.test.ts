import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Context, call, commandWrites, script } from '../../src/contract/command.ts';
import { integer, oneOf, optional, text } from '../../src/contract/field.ts';
import { type Operation, operation } from '../../src/contract/operation.ts';
import { record } from '../../src/contract/record.ts';
import { acknowledged, page } from '../../src/contract/reply.ts';

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
    expect(call(update)).toMatchObject({
      about: 'Change a variant.',
      params: update.params,
      positionals: ['id'],
      examples: [],
      service: { calls: [update], changes: true },
      output: { kind: 'change', reply: acknowledged },
      wait: 'on request',
      targets: { stacks: 'one', named: ['id'], several: false },
      exits: [],
    });
  });

  it('hides what is fixed and demands what is required', () => {
    const weight = call(update, { fixed: { operation: 'percentage' }, required: ['share'] });
    expect(Object.keys(weight.params)).toEqual(['stack_id', 'id', 'share']);
    expect(weight.params['share'].presence).toBe('required');
  });

  it('sends the input with the fixed values', async () => {
    const { sent, context } = recorder();
    const reply = await call(update, { fixed: { operation: 'commit' } }).run(context, { stack_id: 's', id: 'v' });
    expect(reply).toBe('the reply');
    expect(sent).toEqual([[update.path, { stack_id: 's', id: 'v', operation: 'commit' }, {}]]);
  });

  it('passes the limit on to reads alone', async () => {
    const { sent, context } = recorder(5);
    await call(list).run(context, { stack_id: 's' });
    await call(update).run(context, { stack_id: 's', id: 'v', operation: 'commit' });
    expect(sent.map((request) => (request as readonly unknown[])[2])).toEqual([{ limit: 5 }, {}]);
  });

  it('refuses options that do not fit the operation', () => {
    // @ts-expect-error: `destroy` is not among the choices
    call(update, { fixed: { operation: 'destroy' } });
    // @ts-expect-error: there is no param `colour` to fix
    call(update, { fixed: { colour: 'red' } });
    // @ts-expect-error: there is no param `colour` to type
    expect(() => call(update, { positionals: ['colour'] })).toThrow();
    // @ts-expect-error: there is no param `colour` to demand
    call(update, { required: ['colour'] });
    // @ts-expect-error: an acknowledgement has no `uid`
    call(update, { present: ({ uid }) => ({ kind: 'value', text: uid }) });
  });

  it('gives the presentation the types of the operation', () => {
    call(list, {
      present: (value, input) => {
        expectTypeOf(value).toEqualTypeOf<readonly { readonly uid: string }[]>();
        expectTypeOf(input).toEqualTypeOf<{ readonly stack_id: string }>();
        return { kind: 'nothing' };
      },
    });
  });
});

describe('script', () => {
  it('has no positionals and no examples unless it names them', () => {
    const run = async () => 1;
    expect(script({ about: 'Count.', params: {}, calls: [], run })).toEqual({
      about: 'Count.',
      params: {},
      positionals: [],
      examples: [],
      service: 'local',
      output: { kind: 'text' },
      wait: 'never',
      targets: { stacks: 'none', named: [], several: false },
      exits: [],
      run,
    });
  });

  it('types its input by its params', () => {
    script({
      about: 'Count.',
      params: { name: text('Name.'), share: optional(integer('Share.')) },
      positionals: ['name'],
      calls: [],
      run: async (_, input) => {
        expectTypeOf(input).toEqualTypeOf<{ readonly name: string; readonly share?: number }>();
        return input.name;
      },
      present: (value) => ({ kind: 'value', text: value }),
    });
  });

  it('refuses a positional that is not a param', () => {
    const run = async () => 1;
    // @ts-expect-error: there is no param `colour`
    expect(() => script({ about: 'Count.', params: {}, positionals: ['colour'], calls: [], run })).toThrow();
  });
});

describe('commandWrites', () => {
  it('is true when any call writes', () => {
    const run = async () => undefined;
    expect(commandWrites(call(list))).toBe(false);
    expect(commandWrites(call(update))).toBe(true);
    expect(commandWrites(script({ about: 'Both.', params: {}, calls: [list, update], run }))).toBe(true);
    expect(commandWrites(script({ about: 'None.', params: {}, calls: [], run }))).toBe(false);
  });
});
