import type { HeldBackup } from '../../state.ts';
import { seedBackups } from '../backup-rows.ts';
import { shopDatabaseServer as server } from './machines.ts';

const redis = { type: 'redis', database: 'shop_cache', server };
const main = { type: 'postgresql', database: 'shop_prod', server };
const events = { type: 'postgresql', database: 'shop_events', server };

/**
 * The last nights of two schedules: group 12 PostgreSQL, group 13 Redis. Small enough to be downloaded. The newest are
 * good, but for `shop_events`, which has none of the last two nights.
 */
export function shopBackups(stack: string): HeldBackup[] {
  const verified = { verify_status: 2, verify_result: 'Verified.' };
  const restored = { restore_status: 2, restore_result: 'Restored to shop-db-1.' };
  return seedBackups(stack, [
    [{ ...main, id: 901, takenAt: '2026-05-02T03:00:00Z', bytes: 393_216 }, verified],
    [{ ...redis, id: 902, takenAt: '2026-05-02T03:10:00Z', bytes: 40_960 }],
    [{ ...events, id: 903, takenAt: '2026-05-02T03:20:00Z', bytes: 2_621_440 }, { skip_tables: 'raw_clicks' }, 3],
    [{ ...main, id: 904, takenAt: '2026-05-03T03:00:00Z', bytes: 0, fault: 'pg_dump: no space left on device' }, {}, 0],
    [{ ...redis, id: 905, takenAt: '2026-05-04T02:50:00Z', bytes: 40_960 }, restored],
    [
      { ...main, id: 906, takenAt: '2026-05-04T03:00:00Z', bytes: 409_600 },
      { ...verified, ...restored },
    ],
  ]);
}
