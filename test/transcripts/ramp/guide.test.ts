import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { follow, ownEnvironment, programLine } from '../../support/built.ts';
import { startSandbox } from '../../support/sandbox.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/canary.md'), 'utf8');
/** Every command of the guide, those of its job included. */
const commands = [...guide.matchAll(/^(?: +- run: )?(stackops .+?)(?: +#.*)?$/gm)].map(([, command = '']) => command);

/** A machine on which the commands of the guide are typed, in a service of its own. */
async function shop() {
  const sandbox = await startSandbox({ now: () => new Date(), speed: 100 });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'health.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const [, gate = ''] = /^```text\n(#!\/bin\/sh\n.*?)```$/ms.exec(guide) ?? [];
  writeFileSync(join(folder, 'gate.sh'), gate, { mode: 0o755 });
  const env = ownEnvironment(sandbox.env);
  const typed = new Set<string>();
  const start = (line: string) => follow(['bash', '-c', `cd '${folder}'; ${line}`], { env });
  const begin = (words: string, every = '1s') => {
    const command = commands.find((one) => one.includes(words)) ?? words;
    typed.add(command);
    // exec: a signal is for the program, not for the shell.
    return start(
      command
        .replace('stackops', `exec ${programLine}`)
        .replace(/--every \d+m/, `--every ${every} --interval 200ms --initial-delay 0s`),
    );
  };
  const puts = () => {
    const bodies = sandbox.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body));
    return bodies.map(({ canary_percentage }) => canary_percentage);
  };
  const brake = async (canary: string) => {
    expect((await run(['variant', 'weight', canary, '0', '-s', 'shop', '-y'], { env })).code).toBe(0);
  };
  return { folder, typed, begin, brake, puts };
}

test('each command of the guide does what it says, one after the other', async () => {
  const { folder, typed, begin, brake, puts } = await shop();
  await brake('va-canary');
  expect((await begin('redeploy').ended).code).toBe(0);
  const dry = await begin('--every 10m --check ./health.sh -s shop -n').ended;
  const canary = /^(\S+), commit /.exec(dry.stdout)?.[1] ?? '';
  expect([dry.code, dry.stdout, puts()]).toEqual([0, expect.stringContaining(' has 0 %. At the earliest:\n'), [0]]);

  const whole = await begin('--every 10m --check ./health.sh -s shop -y').ended;
  expect([whole.code, puts()]).toEqual([0, [0, 25, 50, 100]]);
  await brake(canary);

  const aborted = begin('--every 10m --check ./health.sh -s shop -y', '60s');
  await aborted.tells(/has 25 %/);
  expect((await begin('--status').ended).stdout).toContain(`${canary} 25 %, step 1 of 3, running`);
  expect((await begin('--abort').ended).code).toBe(0);
  expect([(await aborted.ended).code, puts().at(-1)]).toEqual([9, 0]);

  const paused = begin('--every 10m --check ./health.sh -s shop -y', '2s');
  await paused.tells(/has 25 %/);
  expect((await begin('--pause').ended).code).toBe(0);
  expect((await paused.ended).code).toBe(8);
  expect([(await begin('--resume').ended).code, puts().slice(-3)]).toEqual([0, [25, 50, 100]]);
  await brake(canary);

  const gated = begin('gate.sh');
  await gated.tells(/check gate.sh holds the step: exit code 75/);
  writeFileSync(join(folder, 'approved'), '');
  expect([(await gated.ended).code, puts().at(-1)]).toEqual([0, 100]);
  await brake(canary);

  const job = begin('--on-signal abort');
  await job.shows(/"event":"share_set"/);
  job.kill('SIGTERM');
  expect([(await job.ended).signal, puts().slice(-2)]).toEqual(['SIGTERM', [5, 0]]);
  expect([...typed].toSorted()).toEqual(commands.toSorted());
});
