import { expect, test } from 'vitest';
import { faultyService } from '../support/faulty.ts';
import { run } from '../support/stackops.ts';

/** Every command that changes several things, with two of them: one answer is lost, the other change goes through. */
const writes = [
  'stack env set A=1 B=2 -s shop',
  'stack env set A=1 -s shop,blog/staging',
  'stack env unset GREETING LOG_LEVEL -y -s shop',
  'stack env unset LOG_LEVEL -y -s shop,blog/staging',
  'stack settings set git.branch=next allowed.web.source=10.0.0.0/8 -s shop',
  'server settings set shop-web-1 server.name=w disk.space.alert.threshold=85 -s shop',
  'process scale web=3 worker=4 -s shop',
  'tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718,loadbalancer/3301 --add qa',
];

test.each(writes)('%s: 11 when the outcome of one is unknown', async (words) => {
  const { env } = await faultyService('cut');
  const { code, stderr } = await run([...words.split(' '), '--keep-going', '--json'], {
    env: { ...env, STACKOPS_RECONCILE: 'off' },
  });
  expect([code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error]).toEqual([
    11,
    expect.objectContaining({
      code: 'outcome_unknown',
      exit_code: 11,
      message: expect.stringMatching(/: outcome unknown; .*\. \S.* (was|were) (created|updated|deleted|queued)\.$/),
    }),
  ]);
});
