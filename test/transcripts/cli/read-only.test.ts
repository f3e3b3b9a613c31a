import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unsent } from '../../support/phrases.ts';
import { startService } from '../../support/service.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('changes are refused, reads and dry runs are not', transcriptFile);

test('what the profile says is not lifted by the environment', transcriptFile);

test('the service is not asked anything', async () => {
  const service = await startService(() => ({ status: 500 }));
  const env = { ...service.env, STACKOPS_READ_ONLY: '1' };
  const { code, stdout } = await run(['variant', 'weight', 'canary', '5', '-s', 'shop'], { env });
  expect([code, stdout, service.seen.length]).toEqual([5, '', 0]);
});

test('a configuration that cannot be read may have said so: reads go on, changes are refused', async () => {
  const service = await startService((_seen, response) => response.end('[]'));
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, '{"profiles":{"default":{"readonly":true}}', { mode: 0o600 });
  const env = { ...service.env, STACKOPS_CONFIG_DIR: folder };
  const ignored = `warning: cannot use ${file}: invalid JSON at line 1, column 42; ignoring the file and treating the profile as protected and read-only\n`;
  expect(await run(['stack', 'list', '--output', 'tsv'], { env })).toEqual({
    code: 0,
    stdout: '',
    stderr: `${ignored}No stacks.\n`,
  });
  const requests = service.seen.length;
  expect(await run(['gateway', 'delete', 'bastion-1', '--confirm', 'bastion-1'], { env })).toEqual({
    code: 5,
    stdout: '',
    stderr: `${ignored}error: "gateway delete" changes the service, and only reads are allowed (profile default)${unsent}\n`,
  });
  expect(service.seen.length).toBe(requests);
});
