import type { HeldSetting, SettingValue } from '../state.ts';

export interface SettingSeed {
  readonly key: string;
  readonly value: SettingValue;
  /** Text unless said otherwise. */
  readonly takes?: HeldSetting['takes'];
  readonly readonly?: boolean;
  readonly warning?: string;
}

export function seedSettings(firstId: number, seeds: readonly SettingSeed[]): HeldSetting[] {
  return seeds.map(({ key, value, takes = 'text', readonly = false, warning = '' }, index) => ({
    id: firstId + index,
    key,
    value,
    takes,
    readonly,
    warning_text: warning,
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-01-19T11:42:00Z',
  }));
}

/** The settings of a stack, in every kind of value that the service sends. */
export function seedStackSettings(
  firstId: number,
  { name, git, branch }: { readonly name: string; readonly git: string; readonly branch: string },
): HeldSetting[] {
  return seedSettings(firstId, [
    { key: 'stack.name', value: name, readonly: true },
    { key: 'git.repository', value: git },
    { key: 'git.branch', value: branch },
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
