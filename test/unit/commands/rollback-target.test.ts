import { expect, test } from 'vitest';
import { findRollback, rangeTexts } from '../../../src/commands/deployment/rollback.ts';
import type { DeploymentRow } from '../../../src/resources/deployment.ts';

const hash = (digit: string) => digit.repeat(40);

function deployed(id: number, git_hash: string, more: Partial<DeploymentRow> = {}): DeploymentRow {
  return {
    id,
    outcome: { code: 1, meaning: 'success' },
    started_at: '2026-05-04T12:00:00Z',
    finished_at: '2026-05-04T12:01:00Z',
    git_hash,
    triggered_by: 'ada',
    triggered_via: { code: 1, meaning: 'api' },
    deploy_type: { code: 1, meaning: 'redeploy' },
    is_live: false,
    is_head: false,
    is_deploying: false,
    deploy_session: '',
    reverted: null,
    reverted_by: null,
    reverted_at: null,
    commit_url: `https://github.com/harbour/shop/commit/${git_hash}`,
    ...more,
  };
}

const live = deployed(9, hash('9'), { is_live: true });
const plan = (...earlier: readonly DeploymentRow[]) => findRollback('x', [live, ...earlier], undefined);

test('the last one before that succeeded with another commit is taken', () => {
  const failed = deployed(8, hash('8'), { outcome: { code: 2, meaning: 'failed' } });
  const same = deployed(7, live.git_hash);
  const reverted = deployed(6, hash('6'), { reverted: true });
  expect(plan(deployed(4, hash('4')), failed, same, reverted, deployed(5, hash('5'))).target.id).toBe(5);
});

test('what is newer than the live one is not gone back to', () => {
  expect(plan(deployed(10, hash('a')), deployed(3, hash('3'))).target.id).toBe(3);
  expect(() => plan(deployed(10, hash('a')))).toThrow('no deployment before 9 succeeded with another commit');
});

test('without a commit, or without anything live, nothing can be done', () => {
  expect(() => plan(deployed(8, ''))).toThrow('cannot roll back to deployment 8: it shows no commit');
  expect(() => findRollback('x', [deployed(8, hash('8'))], undefined)).toThrow('no deployment is shown as live');
});

test('the commit that runs is live already, by whatever deployment', () => {
  const chosen = deployed(2, live.git_hash);
  expect(findRollback('x', [live], chosen).isLiveAlready).toBe(true);
});

const addresses: readonly (readonly [commit: (of: string) => string, shown: readonly string[]])[] = [
  [
    (of) => `https://github.com/harbour/shop/commit/${of}`,
    [`https://github.com/harbour/shop/compare/${hash('8')}...${hash('9')}`],
  ],
  [
    (of) => `https://git.harbour.example/a/b/shop/-/commit/${of}`,
    [`https://git.harbour.example/a/b/shop/-/compare/${hash('8')}...${hash('9')}`],
  ],
  [(of) => `https://git.example/harbour/shop/commit/${of}`, []],
  [() => `https://github.com/harbour/shop/commit/${hash('0')}`, []],
  [() => '', []],
];

test.each(addresses)('a comparison is only shown where its address is known: %#', (commit, shown) => {
  const from = { ...live, commit_url: commit(hash('9')) };
  const target = deployed(8, hash('8'), { commit_url: commit(hash('8')) });
  expect(rangeTexts({ live: from, target })).toEqual([
    `commit ${hash('9').slice(0, 7)} -> ${hash('8').slice(0, 7)} of deployment 8`,
    ...shown,
  ]);
});
