import { describe, expect, test } from 'vitest';
import { integer, text } from '../../../src/contract/field.ts';
import { record } from '../../../src/contract/record.ts';
import {
  acknowledgedReply,
  bare,
  emptyReply,
  one,
  opaqueReply,
  page,
  type Reply,
  sole,
} from '../../../src/contract/reply.ts';
import { readReply, readRows } from '../../../src/http/reply.ts';
import { answerOf, replying } from './calls.ts';
import { kindOf, problemOf } from './clients.ts';

const Thing = record('thing', { id: integer('Id.'), name: text('Name.') }, ['id']);
const thing = { id: 7, name: 'a', more: { new: true } };

describe('wrappers', () => {
  test.each<[string, Reply, unknown, unknown]>([
    ['one', one(Thing), { response: thing }, thing],
    ['one without wrapper', one(Thing), thing, thing],
    ['one as a list of one', one(Thing), { response: [thing], pagination: {} }, thing],
    ['bare', bare(Thing), thing, thing],
    ['bare in a wrapper', bare(Thing), { response: thing }, thing],
    ['sole', sole(Thing), { response: [thing] }, thing],
    ['sole as an object', sole(Thing), { response: thing }, thing],
    ['plain words stay words', sole(Thing), { response: [{ tags: ['a'] }] }, { tags: ['a'] }],
    ['opaque', opaqueReply, { response: ['a'] }, ['a']],
    ['opaque null', opaqueReply, { response: null }, null],
    ['acknowledged', acknowledgedReply, { response: { ok: true, message: 'Done.' } }, { ok: true, message: 'Done.' }],
  ])('%s', async (_, reply, body, expected) => {
    expect(await readReply(replying(reply), answerOf(body))).toEqual(expected);
  });

  test.each<[unknown, number]>([
    ['', 204],
    ['', 200],
    ['gone', 200],
    [{ response: { ok: true } }, 200],
  ])('nothing: %o', async (body, status) => {
    expect(await readReply(replying(emptyReply, 'DELETE'), answerOf(body, status))).toBeUndefined();
  });

  test('rows of a page, of a bare list', async () => {
    const pagination = { next: null, current: 1 };
    expect(await readRows(replying(page(Thing)), answerOf({ response: [thing], pagination }))).toEqual({
      rows: [thing],
      pagination,
      memoryBytes: expect.any(Number),
    });
    expect(await readRows(replying(page(Thing)), answerOf([thing]))).toMatchObject({
      rows: [thing],
      pagination: undefined,
    });
  });

  test('an action is read by its types, whatever its operation declares', async () => {
    const action = { id: '812', started_via: 'api', finished_at: '2026-05-04T12:00:05Z', finished_success: 'true' };
    const read = await readReply(replying(acknowledgedReply, 'PUT'), answerOf({ response: action }));
    expect(read).toMatchObject({ id: 812, finished_success: true });
    expect(JSON.stringify(read)).toBe(JSON.stringify(action));
  });

  test('integers beyond 2^53 keep their digits', async () => {
    expect(await readReply(replying(one(Thing)), answerOf('{"response":{"id":9007199254740993}}'))).toEqual({
      id: 9007199254740993n,
    });
  });
});

describe('what cannot be trusted', () => {
  test.each<[string, Reply, unknown, string]>([
    ['null', one(Thing), { response: null }, 'the response is null'],
    ['a word', one(Thing), '"a"', 'the response is a string'],
    ['an empty list for one', sole(Thing), { response: [] }, 'the response is a list of 0'],
    ['several for one', sole(Thing), { response: [thing, thing] }, 'the response is a list of 2'],
    ['empty', one(Thing), '', 'the response is empty (200)'],
    ['not JSON', one(Thing), '{"a":secret}', 'the response is not valid JSON at position 5 (200)'],
    [
      'a captive portal',
      one(Thing),
      '<!DOCTYPE html><title>\nWelcome  home</title>',
      'the response is an HTML page titled "Welcome home" (200)',
    ],
    ['a captive portal', emptyReply, '<html></html>', 'the response is an HTML page'],
  ])('%s', async (_, reply, body, message) => {
    const answer = answerOf(body);
    expect(await problemOf(readReply(replying(reply), answer))).toMatchObject({ kind: 'unavailable', message });
    expect(await problemOf(readReply(replying(reply, 'PUT'), answer))).toMatchObject({
      kind: 'outcome_unknown',
      message: `outcome unknown; the change may have been applied: ${message}`,
    });
  });

  test.each([null, {}, 'a', 7])('a list that is %o', async (response) => {
    expect(await kindOf(readRows(replying(page(Thing)), answerOf({ response })))).toBe('unavailable');
  });

  test('a write without its proof', async () => {
    const created = one(Thing, ['id', 'uid']);
    const { message } = await problemOf(
      readReply(replying(created, 'POST'), answerOf({ response: { id: null, name: 'a' } })),
    );
    expect(message).toBe('outcome unknown; the change may have been applied: the response has no "id" or "uid"');
    expect(await readReply(replying(created, 'POST'), answerOf({ response: { uid: 'x' } }))).toEqual({ uid: 'x' });
    expect(await kindOf(readReply(replying(acknowledgedReply, 'POST'), answerOf({ response: {} })))).toBe(
      'outcome_unknown',
    );
  });
});

describe('ok: false is a refusal', () => {
  test.each<[Reply, unknown]>([
    [acknowledgedReply, { response: { ok: false, message: 'Busy.' } }],
    [acknowledgedReply, { response: { ok: 'no', message: 'Busy.' } }],
    [one(Thing, ['id']), { response: { ok: false, id: 7, message: 'Busy.' } }],
    [emptyReply, { ok: false, message: 'Busy.' }],
  ])('%o %o', async (reply, body) => {
    expect(await problemOf(readReply(replying(reply, 'PUT'), answerOf(body)))).toMatchObject({
      kind: 'rejected',
      message: 'the service refused the request: Busy.',
      details: { status: 200, operation: 'PUT /things' },
    });
  });
});
