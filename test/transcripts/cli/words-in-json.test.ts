import { expect, test } from 'vitest';
import { readTree } from '../../../scripts/docs/tree.ts';
import { run } from '../../support/stackops.ts';

test('the help of a list with codes shows how JSON gets their words, and that works', async () => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };
  const { commands } = await readTree();
  const coded = commands.filter(
    ({ shows, fields }) =>
      shows === 'rows' &&
      fields.some(({ name, values }) => !name.includes('.') && values?.some(({ code }) => code !== null)),
  );
  for (const { name } of coded) {
    const { stdout } = await run([...name.split(' '), '--help']);
    const [, fields = '', jq = ''] = /Words in JSON: --fields (\S+) --jq '(\S+)'/.exec(stdout) ?? [];
    expect(await run([...name.split(' '), '--fields', fields, '--jq', jq], { env }), name).toMatchObject({ code: 0 });
  }
  expect(coded.map(({ name }) => name)).toContain('stack list');
});
