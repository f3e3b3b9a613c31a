import { integer, many, map, optional, text } from '../../contract/field.ts';
import type { Read } from '../../contract/observe.ts';
import type { Plan } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/perform/change-record.ts';
import { type Edit, edits } from '../../kinds/perform/edit.ts';
import { linesOf, verbs } from '../../kinds/perform/summary.ts';
import { write } from '../../kinds/write.ts';
import { actions } from '../../resources/action.ts';
import { type ProcessRow, processes } from '../../resources/process.ts';
import { server, servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { bodyFields, readBodyFields } from '../body-field.ts';
import { readScaleArguments } from './scale-arguments.ts';
import { countsNow, planScaling, type Scaling, scalePayload } from './scale-plan.ts';
import { askAboutCounts, countsText, type Scaled, scaleUndo } from './scale-summary.ts';
import { checkUnfinished } from './unfinished-scale.ts';

export const onServer = optional({ ...server.argumentField, about: 'Only this server (UID or exact name).' });

export const scale = write({
  about: 'Scale processes on each of their servers, or on one.',
  params: {
    stack_id: inStack,
    changes: many(
      text('Process and count.', { names: 'process name' }),
      'NAME=N sets the count; NAME=+N and NAME=-N change it.',
      { label: 'NAME=N', assigns: [], repeats: true },
    ),
    server: onServer,
    field: bodyFields('Add or override a field of the request body.'),
  },
  positionals: ['changes'],
  examples: [
    'stackops process scale worker=3 -s shop',
    'stackops process scale worker=+1 web=-1 -s shop -y',
    'stackops process scale worker=2 --server shop-web-1 -s shop',
  ],
  calls: [actions.list, processes.list, servers.list, processes.scale],
  record: changeRecord(
    { name: text('Name of the process.') },
    { before: map(integer('Count on that server.'), 'Counts by server name.') },
  ),
  isList: true,
  confirm: {
    level: 'yes',
    act: 'Scale process',
    when: 'before a decrease on several servers, a count of 0 or over ten times as many',
  },
  plan: async (context, input): Promise<Plan> => {
    const { stack_id, server: only } = input;
    // Arguments are checked before the first request.
    const asked = readScaleArguments(input.changes);
    const fields = readBodyFields(input.field ?? [], ['stack_id', 'id']);
    const isUnfinished = await checkUnfinished(context, stack_id, asked);
    const listed = await context.call(processes.list, { stack_id });
    const situation = { stack_id, processes: listed, servers: await context.call(servers.list, { stack_id }), only };
    const scalings = asked.map((argument) => planScaling(argument, situation));
    const all = editsOf(scalings, { stack_id, listed, fields });
    return {
      ...edits(context, all),
      ask: askAboutCounts(context, stack_id, scalings),
      summarize: (changes) => ({
        lines: linesOf(all, changes, { verb: verbs.update, details: (change) => [countsText(change as Scaled)] }),
        // The counts before are not what an unfinished scale will leave.
        undo: isUnfinished
          ? []
          : scaleUndo(changes as readonly Scaled[], { stack_id, isEverywhere: only === undefined }),
      }),
    };
  },
});

interface ScaleRequest {
  readonly stack_id: string;
  readonly listed: readonly ProcessRow[];
  /** Fields that --field adds to the body or overrides. */
  readonly fields: object;
}

function editsOf(
  scalings: readonly Scaling[],
  { stack_id, listed, fields }: ScaleRequest,
): readonly Edit<readonly ProcessRow[]>[] {
  const read = (reading: Read) => reading(processes.list, { stack_id });
  // The effect of other fields is not known, so it cannot be compared.
  const isPlain = Object.keys(fields).length === 0;
  return scalings.map((scaling) => ({
    id: { name: scaling.name },
    name: `process ${scaling.name}`,
    held: listed,
    read,
    valueIn: (rows) => countsNow(rows, scaling),
    wanted: scaling.after,
    ...(!isPlain && { isWanted: () => undefined }),
    operation: processes.scale,
    request: { ...scalePayload(scaling, fields), stack_id, id: scaling.name },
  }));
}
