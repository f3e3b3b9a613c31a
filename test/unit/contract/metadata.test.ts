import { expect, test } from 'vitest';
import { customCommand } from '../../../src/builders/custom-command.ts';
import { commandWrites, writesWithInput } from '../../../src/contract/command.ts';
import { flag, many, text } from '../../../src/contract/field.ts';
import { type CommandDeclaration, metadataOf } from '../../../src/contract/metadata.ts';
import { operation } from '../../../src/contract/operation.ts';
import { record } from '../../../src/contract/record.ts';
import { acknowledgedReply, emptyReply, one, opaqueReply, page, rows, sole } from '../../../src/contract/reply.ts';

const Key = record('key', { name: text('Name.') }, ['name']);
const stack_id = text('Stack.', { target: 'stack' });
const list = operation('GET /stacks/:stack_id/keys', {
  scope: 'redeploy',
  about: 'List the keys.',
  params: { stack_id },
  reply: page(Key),
});
const remove = operation('DELETE /stacks/:stack_id/keys/:key_id', {
  scope: 'redeploy',
  about: 'Delete a key.',
  params: { stack_id, key_id: text('Id.') },
  reply: acknowledgedReply,
});

const metadataWith = (more: Partial<CommandDeclaration>) => metadataOf({ params: {}, calls: [], ...more });

test.each<readonly [string, Partial<CommandDeclaration>, object]>([
  ['what is decided as it runs', {}, { calls: [], changes: false }],
  ['reads', { calls: [list] }, { calls: [list], changes: false }],
  ['reads and a write', { calls: [list, remove] }, { calls: [list, remove], changes: true }],
])('service: %s', (_, declared, service) => {
  expect(metadataWith(declared)).toMatchObject(service);
});

test('service: where the input decides, a command may write and this input does or does not', () => {
  const run = async () => undefined;
  const params = { write: flag('Whether to.') };
  const changes = ({ write }: { readonly write: boolean }) => write;
  const command = customCommand({ about: 'Ask.', params, calls: [], moreEffects: [], changes, run });
  expect(command).toMatchObject({ calls: [], changes, wait: 'on request' });
  expect([true, false].map((write) => writesWithInput(command, { write }))).toEqual([true, false]);
});

test.each<readonly [string, Partial<CommandDeclaration>, object]>([
  ['no reply is text', {}, { kind: 'text' }],
  ['what is declared', { output: { kind: 'program' } }, { kind: 'program' }],
  ['a list', { reply: page(Key) }, { kind: 'rows', reply: page(Key) }],
  ['an object', { reply: sole(Key) }, { kind: 'object', reply: sole(Key) }],
  [
    'a bare value of a write',
    { calls: [remove], output: { kind: 'value', reply: one(Key) } },
    { kind: 'value', reply: one(Key) },
  ],
  ['anything', { reply: opaqueReply }, { kind: 'value', reply: opaqueReply }],
  ['a write', { calls: [remove], reply: rows(Key) }, { kind: 'change', reply: rows(Key) }],
  ['a write without a body', { calls: [remove], reply: emptyReply }, { kind: 'change', reply: emptyReply }],
])('output: %s', (_, declared, output) => {
  expect(metadataWith(declared).output).toEqual(output);
});

test.each<readonly [string, Partial<CommandDeclaration>, string]>([
  ['a read', { calls: [list] }, 'never'],
  ['a write', { calls: [remove] }, 'on request'],
  ['what watches in any case', { calls: [list], wait: 'always' }, 'always'],
])('wait: %s', (_, declared, wait) => {
  expect(metadataWith(declared).wait).toBe(wait);
});

const inStack = { params: { stack_id }, reply: rows(Key) };

test.each<readonly [string, Partial<CommandDeclaration>, string]>([
  ['nothing in a stack', { reply: rows(Key) }, 'none'],
  ['a stack that is an argument', { ...inStack, positionals: ['stack_id'] }, 'none'],
  ['a read', { ...inStack, calls: [list] }, 'several'],
  ['a read without fields', { ...inStack, calls: [list], reply: opaqueReply }, 'one'],
  ['what watches', { ...inStack, calls: [list], wait: 'always' }, 'one'],
  ['a write', { ...inStack, calls: [remove] }, 'one'],
  ['a write of several', { ...inStack, calls: [remove], severalStacks: true }, 'several'],
])('targets: -s and %s', (_, declared, stacks) => {
  expect(metadataWith(declared).targets.stacks).toBe(stacks);
});

test.each<readonly [string, Partial<CommandDeclaration>, boolean]>([
  ['several stacks', { ...inStack, severalStacks: true }, true],
  ['several arguments', { params: { keys: many(text('Key.'), 'Keys.') }, positionals: ['keys'] }, true],
  ['arguments with commas', { params: { keys: text('Keys.', { commas: true }) }, positionals: ['keys'] }, true],
  ['one argument', { params: { key: text('Key.') }, positionals: ['key'] }, false],
])('targets: a write of %s may fail in part, and a read never', (_, declared, several) => {
  expect(metadataWith({ ...declared, calls: [list, remove] }).targets.several).toBe(several);
  expect(metadataWith({ ...declared, calls: [list] }).targets.several).toBe(false);
});

test('targets: what is named is there already, at the service', () => {
  const params = {
    stack_id,
    key: text('Key.', { nameKind: 'environment variable' }),
    keys: many(text('Key.', { nameKind: 'environment variable' }), 'Keys.'),
    pair: text('Key and value.', { nameKind: 'environment variable', assigns: [] }),
    tag: text('A tag, also a new one.', { nameKind: 'tag' }),
    title: text('What something new is called.'),
  };
  const positionals = Object.keys(params) as (keyof typeof params)[];
  expect(metadataWith({ params, calls: [list], positionals }).targets.named).toEqual(['key', 'keys']);
});

test('a command writes when one of its operations does', () => {
  const run = async () => undefined;
  const writes = (calls: CommandDeclaration['calls']) =>
    commandWrites(customCommand({ about: 'Keys.', params: {}, calls, moreEffects: [], run }));
  expect([[list], [list, remove], []].map(writes)).toEqual([false, true, false]);
});
