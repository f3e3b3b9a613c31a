import { expect, test } from 'vitest';
import { customCommand } from '../../../src/builders/custom-command.ts';
import type { Output } from '../../../src/contract/metadata.ts';
import type { RecordType } from '../../../src/contract/record.ts';
import { opaqueReply, page, type Reply, rows } from '../../../src/contract/reply.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { columnsOf, resolveView } from '../../../src/output/columns.ts';
import type { View } from '../../../src/output/view.ts';
import { Deployment, deployments } from '../../../src/resources/deployment.ts';
import { Stack } from '../../../src/resources/stack.ts';
import { Variant } from '../../../src/resources/variant.ts';
import { inPipe, onTerminal } from './views.ts';

/** What a command without a presentation of its own puts out. */
function outputWith(reply: Reply | undefined): Output {
  const run = async () => undefined;
  return customCommand({ about: 'Ask.', params: {}, calls: [], moreEffects: [], run, ...(reply && { reply }) }).output;
}

async function refusal(reply: Reply | undefined, view: View): Promise<string> {
  try {
    await resolveView(outputWith(reply), view);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { hint, correction } = error.details;
    const help = hint ?? correction?.add?.join(' ');
    return `${error.kind}: ${error.message}${help === undefined ? '' : ` (${help})`}`;
  }
  return 'fine';
}

const json = (more: Partial<View>) => inPipe({ format: 'json', ...more });

test.each<readonly [string, Reply | undefined, View, string]>([
  ['known columns', page(Deployment), onTerminal({ columns: ['id', 'outcome.code'] }), 'fine'],
  ['another known name', rows(Variant), json({ fields: ['type', 'created_at_iso'] }), 'fine'],
  ['names below opaque values', opaqueReply, json({ fields: ['a.b'], sort: 'x', limit: 3 }), 'fine'],
  ['an unknown column', rows(Variant), onTerminal({ columns: ['uid', 'x'] }), `usage: unknown column "x"`],
  ['an unknown field', rows(Variant), json({ fields: ['nope'] }), `usage: unknown field "nope"`],
  ['an unknown order', rows(Variant), inPipe({ sort: '-nope' }), `usage: unknown field "nope"`],
  ['a name every object has', rows(Variant), json({ fields: ['constructor'] }), `usage: unknown field "constructor"`],
  ['a name below a text', rows(Variant), json({ fields: ['uid.x'] }), `usage: unknown field "uid.x"`],
  [
    'columns of one object',
    deployments.get.reply,
    onTerminal({ columns: ['id'], chosenBy: '--columns' }),
    'usage: --columns does not apply: the output is not a list',
  ],
  [
    'the order of one object',
    deployments.get.reply,
    onTerminal({ sort: 'id' }),
    'usage: --sort does not apply: the output is not a list',
  ],
  [
    'the first of one object',
    deployments.get.reply,
    json({ limit: 1 }),
    'usage: --limit does not apply: the output is not a list',
  ],
  [
    'no heading of one object',
    deployments.get.reply,
    inPipe({ header: false }),
    'usage: --no-header does not apply: the output is not a list',
  ],
  [
    'a heading of plain text',
    undefined,
    inPipe({ header: true }),
    'usage: --header does not apply: the output is not a list',
  ],
])('%s', async (_, reply, view, expected) => {
  expect(await refusal(reply, view)).toBe(expected);
});

test('the first column, unless it is a name, and everything called uid, id or key is never cut', () => {
  const columns = columnsOf(Variant, onTerminal({ columns: ['git_hash', 'percentage', 'id'] }));
  expect(columns.map(({ heading, isRight, isWhole }) => [heading, isRight, isWhole])).toEqual([
    ['COMMIT', false, true],
    ['TRAFFIC', true, false],
    ['ID', true, true],
  ]);
  expect(columnsOf(Stack, onTerminal()).map(({ path, isWhole }) => [path, isWhole])).toEqual([
    ['name', false],
    ['environment', false],
    ['status', false],
    ['health', false],
    ['last_activity', false],
    ['uid', true],
  ]);
});

test('the first column is never dropped, and neither is the ID of rows without a name', () => {
  const required = (record: RecordType) =>
    columnsOf(record, onTerminal()).flatMap((one) => (one.isRequired ? [one.path] : []));
  expect(required(Stack)).toEqual(['name']);
  expect(required(Variant)).toEqual(['variant_type', 'uid']);
  expect(required(Deployment)).toEqual(['id']);
});
