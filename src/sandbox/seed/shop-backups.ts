import type { HeldBackup, StoredBackup } from '../state.ts';
import { type BackupSeed, backupRow } from './backup-rows.ts';
import { shopDatabaseServer as server } from './shop-machines.ts';

const redis = { type: 'redis', database: 'shop_cache', server };
const main = { type: 'postgresql', database: 'shop_prod', server };
const events = { type: 'postgresql', database: 'shop_events', server };
const groupOf: Readonly<Record<string, number>> = { postgresql: 12, redis: 13 };

/** The last nights of two schedules: group 12 PostgreSQL, group 13 Redis. Small enough to be downloaded. */
export function shopBackups(stack: string): HeldBackup[] {
  const verified = { verify_status: 2, verify_result: 'Verified.' };
  const restored = { restore_status: 2, restore_result: 'Restored to shop-db-1.' };
  const seeds: readonly (readonly [seed: BackupSeed, changes?: Partial<StoredBackup>, parts?: number])[] = [
    [{ ...main, id: 901, takenAt: '2026-04-13T03:00:00Z', bytes: 393_216 }, verified],
    [{ ...redis, id: 902, takenAt: '2026-04-13T03:10:00Z', bytes: 40_960 }],
    [{ ...events, id: 903, takenAt: '2026-04-13T03:20:00Z', bytes: 2_621_440 }, { skip_tables: 'raw_clicks' }, 3],
    [{ ...main, id: 904, takenAt: '2026-04-14T03:00:00Z', bytes: 0, fault: 'pg_dump: no space left on device' }, {}, 0],
    [{ ...redis, id: 905, takenAt: '2026-04-14T03:10:00Z', bytes: 40_960 }, restored],
    [
      { ...main, id: 906, takenAt: '2026-04-15T03:00:00Z', bytes: 409_600 },
      { ...verified, ...restored },
    ],
  ];
  return seeds.map(([seed, changes = {}, parts = 1]) => ({
    row: { ...backupRow(stack, seed), ...changes },
    group: groupOf[seed.type] ?? 0,
    parts,
  }));
}
