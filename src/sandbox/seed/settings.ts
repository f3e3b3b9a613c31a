import type { SettingState, StackState } from '../state.ts';

/** A setting of the seed. By default it is changeable text without a warning. */
type SettingSeed = Pick<SettingState, 'key' | 'value'> & Partial<SettingState>;

function seedSettings(firstId: number, seeds: readonly SettingSeed[]): SettingState[] {
  return seeds.map(({ key, value, ...more }, index) => ({
    id: firstId + index,
    key,
    value,
    takes: 'text',
    readonly: false,
    warning_text: '',
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-01-19T11:42:00Z',
    ...more,
  }));
}

type StackFacts = Pick<StackState['row'], 'name' | 'git' | 'git_branch'>;

/** Returns the settings of a stack, with every kind of value that the service sends. */
export function seedStackSettings(firstId: number, { name, git, git_branch }: StackFacts): SettingState[] {
  return seedSettings(firstId, [
    { key: 'stack.name', value: name, readonly: true },
    { key: 'git.repository', value: git },
    { key: 'git.branch', value: git_branch },
    { key: 'continuous.deploy', value: false, takes: 'flag' },
    { key: 'run.deploy.command', value: true, takes: 'flag' },
    { key: 'custom.build.command', value: null },
    { key: 'custom.deploy.command', value: null },
    { key: 'asset.prefix', value: null },
    { key: 'maintenance.mode', value: false, takes: 'flag' },
    { key: 'reconfigure.nginx', value: false, takes: 'flag' },
    { key: 'allowed.web.source', value: '0.0.0.0/0' },
    { key: 'db.check.backup.size', value: 10, takes: 'integer' },
    { key: 'logrotate.app.frequency', value: 'daily' },
    { key: 'logrotate.app.keep.count', value: 7, takes: 'integer' },
    { key: 'logrotate.server.frequency', value: 'weekly' },
    { key: 'logrotate.server.keep.count', value: 4, takes: 'integer' },
  ]);
}

export function seedServerSettings(firstId: number, name: string): SettingState[] {
  return seedSettings(firstId, [
    { key: 'server.name', value: name, warning_text: 'Its name in DNS changes too.' },
    { key: 'disk.space.alert.threshold', value: 80, takes: 'integer' },
    { key: 'agent.version', value: '3.4.1', readonly: true },
    { key: 'agent.autoupdate', value: true, takes: 'flag', warning_text: 'The agent restarts.' },
    { key: 'notification.email', value: null },
  ]);
}
