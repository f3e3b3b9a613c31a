import type { Acknowledgement } from '../../contract/reply.ts';

/** Stands for `{ok, message}` where that answer was lost and a read shows that the change was made. */
export const settled: Acknowledgement = { ok: true, message: 'The answer was lost; reading back shows the change.' };
