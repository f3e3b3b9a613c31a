import type { Context, FindStacks } from '../../contract/command.ts';
import { changeEach } from '../../kinds/perform/change-each.ts';
import { Problem } from '../../problems/problem.ts';
import { stacks, titleOf } from '../../resources/stack.ts';
import type { Services } from '../services.ts';
import { type ActivityOptions, readActivity, sortEvents } from './read.ts';
import type { ActivityEvent } from './record.ts';

type Events = readonly ActivityEvent[];
type Named = Pick<ActivityOptions, 'stack_id' | 'stack' | 'isOneOfAll'>;

export async function everyStack(
  context: Context,
  services: Services,
  findStacks: FindStacks | undefined,
): Promise<readonly Named[]> {
  const isNamed = findStacks || services.settings().get('stack').origin === 'flag --stack';
  if (isNamed) throw new Problem('usage', 'use --all or -s, not both');
  const rows = await context.call(stacks.list, {});
  return rows.map((row) => ({ stack_id: row.uid, stack: titleOf(row), isOneOfAll: true }));
}

export function givenStacks({ stackName }: Services, uids: readonly string[] = []): readonly Named[] {
  return uids.map((stack_id) => ({ stack_id, stack: stackName(stack_id) }));
}

interface Several extends Omit<ActivityOptions, 'stack_id' | 'stack'> {
  readonly found: readonly Named[];
}

/** The events of several stacks in one order. One that cannot be read does not stop the others. */
export async function readSeveral(
  context: Context,
  services: Services,
  { found, ...options }: Several,
): Promise<Events> {
  try {
    const read = await changeEach<Named, Events>({ keepGoing: true }, found, {
      nameOf: ({ stack }) => stack,
      atOnce: 8,
      act: async (named) => {
        const events = await readActivity(context, services, { ...options, ...named });
        return events.map((event) => ({ stack: named.stack, ...event }));
      },
      undone: () => [],
    });
    return sortEvents(read.flat());
  } catch (error) {
    if (!(error instanceof Problem) || !error.details.partial) throw error;
    const read = error.details.partial.value as readonly Events[];
    throw error.with({ partial: { value: sortEvents(read.flat()) } });
  }
}
