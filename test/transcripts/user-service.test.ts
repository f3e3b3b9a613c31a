import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Answer, reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

const user = (rights: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => ({
  id: 7,
  email: 'ada@harbour.example',
  access_profile: { account_profile: rights, stack_profiles: [], ...more },
});

async function against(answer: Answer) {
  const service = await startService(answer);
  return { service, env: service.env };
}

test('the updated user may come bare', transcriptFile);
test('the updated user may come in a wrapper', transcriptFile);
test('the updated user may come without the profile, which is read again', transcriptFile);
test('the updated user may come as it was before, which is read again', transcriptFile);
test('a service that leaves out what it was asked for is not believed', transcriptFile);
test('what was changed of several is the result, and is undone alone', transcriptFile);
test('of an update whose action goes on the lines say so, and there is no undo', transcriptFile);
test('of an update whose action has failed the lines say so, and there is no undo', transcriptFile);

test('a file is taken as the service sends it, with parts this tool does not know', async () => {
  const held = user({ can_fly: true, can_payment: false }, { acls_profile: [{ account_id: 1 }] });
  const changed = user({ can_fly: true, can_payment: true }, { acls_profile: [{ account_id: 1 }] });
  const { service, env } = await against(({ method }, response) =>
    reply(response, { response: method === 'PUT' ? changed : held }),
  );
  const file = join(temporaryFolder(), 'ada.json');
  writeFileSync(file, `\uFEFF${JSON.stringify(changed, undefined, 2)}\n`);
  expect(await run(['user', 'update', '7', '--from-file', file, '-y'], { env })).toMatchObject({
    code: 0,
    stderr: 'undo: stackops user update 7 --set can_payment=false\n',
  });
  expect(service.seen.at(-1)?.body).toEqual({ access_profile: { account_profile: { can_payment: true } } });
  writeFileSync(file, JSON.stringify(user({ can_fly: true }, { acls_profile: [] })));
  expect(await run(['user', 'update', '7', '--from-file', file, '-y'], { env })).toMatchObject({
    code: 2,
    stderr: 'error: "acls_profile" of an access profile cannot be changed\n',
  });
});

test('a service that repeats secrets finds them blotted out', transcriptFile);
test('a device with an unknown outcome is not named by its token', transcriptFile);
test('a device is not taken for deleted by a service that shows no devices', transcriptFile);
test('a token is one segment of the address, whatever it holds', transcriptFile);
