import { describe, expect, expectTypeOf, it } from 'vitest';
import { flag, integer, oneOf, optional, text } from '../../../src/contract/field.ts';
import {
  type InputOf,
  isWriteOperation,
  operation,
  type PathParamNames,
  pathParamNames,
  type ReplyOf,
} from '../../../src/contract/operation.ts';
import { type RecordOf, record } from '../../../src/contract/record.ts';
import {
  type Acknowledgement,
  acknowledgedReply,
  bare,
  emptyReply,
  one,
  opaqueReply,
  page,
  rows,
  sole,
} from '../../../src/contract/reply.ts';

const Backup = record('backup', { id: integer('Id.'), name: text('Name.') }, ['id']);
type BackupValue = RecordOf<typeof Backup>;

const spec = { scope: 'public', about: 'Do it.', reply: acknowledgedReply } as const;
const update = operation('PUT /stacks/:stack_id/backups/:id', {
  ...spec,
  params: {
    stack_id: text('Stack.'),
    id: integer('Id.'),
    mode: oneOf(['keep', 'drop'], 'Mode.'),
    gzip: optional(flag('Compress.')),
  },
});

describe('operation', () => {
  it('is the declaration itself', () => {
    expect(operation('GET /accounts', { ...spec, params: {} })).toEqual({
      scope: 'public',
      about: 'Do it.',
      reply: { envelope: 'acknowledged', proof: ['ok'] },
      method: 'GET',
      path: '/accounts',
      params: {},
    });
  });

  it('knows the type of its input', () => {
    expectTypeOf<InputOf<typeof update>>().toEqualTypeOf<{
      readonly stack_id: string;
      readonly id: number;
      readonly mode: 'keep' | 'drop';
      readonly gzip?: boolean;
    }>();
  });

  it('refuses a path whose names are not required params', () => {
    // @ts-expect-error: nothing fills `:id`
    operation('GET /backups/:id', { ...spec, params: {} });
    // @ts-expect-error: what fills `:id` may be missing
    operation('GET /backups/:id', { ...spec, params: { id: optional(text('Id.')) } });
    // @ts-expect-error: a flag cannot stand in a path
    operation('GET /backups/:id', { ...spec, params: { id: flag('Id.') } });
    // @ts-expect-error: the method is not one of HTTP's five
    operation('FETCH /backups', { ...spec, params: {} });
    // @ts-expect-error: the service has no such scope
    operation('GET /backups', { ...spec, scope: 'root', params: {} });
  });

  it.each([
    ['GET', false],
    ['POST', true],
    ['PUT', true],
    ['PATCH', true],
    ['DELETE', true],
  ] as const)('%s writes: %s', (method, expected) => {
    expect(isWriteOperation({ ...update, method })).toBe(expected);
  });
});

describe('names in a path', () => {
  it.each([
    ['/accounts', []],
    ['/stacks/:id', ['id']],
    ['/stacks/:stack_id/backups/:backup_id/files/:id', ['stack_id', 'backup_id', 'id']],
  ])('%s', (path, names) => {
    expect(pathParamNames(path)).toEqual(names);
  });

  it('are known to the compiler too', () => {
    expectTypeOf<PathParamNames<'/accounts'>>().toEqualTypeOf<never>();
    expectTypeOf<PathParamNames<'/stacks/:stack_id/x/:id'>>().toEqualTypeOf<'stack_id' | 'id'>();
  });
});

describe('replies', () => {
  it.each([
    ['one', one(Backup), { envelope: 'one', record: Backup }],
    ['one, proved', one(Backup, ['id']), { envelope: 'one', record: Backup, proof: ['id'] }],
    ['page', page(Backup), { envelope: 'page', record: Backup }],
    ['rows', rows(Backup), { envelope: 'rows', record: Backup }],
    ['sole', sole(Backup), { envelope: 'sole', record: Backup }],
    ['sole, proved', sole(Backup, ['id']), { envelope: 'sole', record: Backup, proof: ['id'] }],
    ['bare', bare(Backup), { envelope: 'bare', record: Backup }],
    ['bare, proved', bare(Backup, ['id']), { envelope: 'bare', record: Backup, proof: ['id'] }],
    ['acknowledged', acknowledgedReply, { envelope: 'acknowledged', proof: ['ok'] }],
    ['nothing', emptyReply, { envelope: 'nothing' }],
    ['opaque', opaqueReply, { envelope: 'opaque' }],
  ])('%s is plain data', (_, reply, expected) => {
    expect(reply).toEqual(expected);
  });

  it('give a call its type', () => {
    const get = { ...spec, params: {} } as const;
    const list = operation('GET /backups', { ...get, reply: page(Backup) });
    const first = operation('GET /backups', { ...get, reply: one(Backup) });
    const only = operation('GET /backups', { ...get, reply: sole(Backup) });
    const silent = operation('GET /backups', { ...get, reply: emptyReply });
    const free = operation('GET /backups', { ...get, reply: opaqueReply });
    expectTypeOf<ReplyOf<typeof list>>().toEqualTypeOf<readonly BackupValue[]>();
    expectTypeOf<ReplyOf<typeof first>>().toEqualTypeOf<BackupValue>();
    expectTypeOf<ReplyOf<typeof only>>().toEqualTypeOf<BackupValue>();
    expectTypeOf<ReplyOf<typeof update>>().toEqualTypeOf<Acknowledgement>();
    expectTypeOf<ReplyOf<typeof silent>>().toEqualTypeOf<undefined>();
    expectTypeOf<ReplyOf<typeof free>>().toEqualTypeOf<unknown>();
  });
});
