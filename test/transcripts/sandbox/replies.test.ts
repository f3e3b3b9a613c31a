import { expect, test } from 'vitest';
import type { Reply } from '../../../src/contract/reply.ts';
import { everyOperation } from '../../../src/resources/index.ts';
import { checkFields } from '../../../src/sandbox/request/check.ts';
import { at, freshSandbox } from './fresh-sandbox.ts';
import { requests } from './requests.ts';

test('answers every operation of the catalogue in its envelope and with exactly its fields', async () => {
  const { ask } = await freshSandbox();
  const operations = new Map(everyOperation());
  expect(Object.keys(requests).toSorted()).toEqual([...operations.keys()].toSorted());
  for (const [id, [line, body]] of Object.entries(requests)) {
    const answer = await ask(line, body);
    expect([id, answer.status]).toEqual([id, id === 'clusters.create' ? 501 : 200]);
    const reply = operations.get(id)?.reply;
    if (reply) expect(valuesIn(reply, answer.body, id)).toEqual(rawValues(reply, answer.body));
  }
});

/** The reply read through its record: unknown, missing and ill-typed fields throw, and conversions would differ. */
function valuesIn(reply: Reply, body: unknown, id: string): readonly unknown[] {
  const fields = reply.record?.fields;
  return rawValues(reply, body).map((row) =>
    fields ? checkFields(fields, row as Readonly<Record<string, unknown>>, { strict: true, where: `${id}: ` }) : row,
  );
}

function rawValues({ envelope }: Reply, body: unknown): readonly unknown[] {
  if (envelope === 'nothing') {
    expect(body).toBeUndefined();
    return [];
  }
  if (envelope === 'bare') expect(body).not.toHaveProperty('response');
  const inner = envelope === 'bare' ? body : at(body, 'response');
  if (envelope === 'page' || envelope === 'sole') expect(body).toHaveProperty('pagination.pages');
  else expect(body).not.toHaveProperty('pagination');
  if (envelope === 'acknowledged') expect(inner).toMatchObject({ ok: true });
  return Array.isArray(inner) ? inner : [inner];
}
