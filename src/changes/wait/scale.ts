import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type Action, actionWith } from '../../resources/action.ts';
import { processes } from '../../resources/process.ts';
import { servers } from '../../resources/server.ts';
import { patienceMs } from './action.ts';

type Input = InputOf<typeof processes.scale>;

/** A process was scaled when its counts are those asked for; a body of the operator's own cannot be compared. */
export const scaleObserver: Observer<Input, undefined, Action> = {
  patienceMs,
  canShow: (input) => isPlain(input),
  look: async (read, input) => ((await isReached(read, input)) ? actionWith({ finished_success: true }) : undefined),
};

function isPlain(input: Input): boolean {
  const known = ['stack_id', 'id', 'process_name', 'server_count'];
  return input.server_count !== undefined && Object.keys(input).every((name) => known.includes(name));
}

/** Counts are shown by server name and taken by UID. */
async function isReached(read: Read, input: Input): Promise<boolean> {
  const { stack_id, id, server_count = {} } = input;
  const found = (await read(processes.list, { stack_id })).find(({ name }) => name === id);
  const names = new Map((await read(servers.list, { stack_id })).map(({ uid, name }) => [uid, name]));
  return Object.entries(server_count).every(([uid, count]) => (found?.servers?.[names.get(uid) ?? uid] ?? 0) === count);
}
