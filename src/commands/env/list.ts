import type { Context } from '../../contract/command.ts';
import { flag, optional, type Values } from '../../contract/field.ts';
import { upToLimit } from '../../kinds/call.ts';
import { commandOf } from '../../kinds/command.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { deploymentStart } from './variable/deployment-start.ts';
import { hasChangedSince } from './variable/value-at.ts';

const params = {
  ...environments.list.params,
  pending: optional(flag('Only those changed since the last deployment.')),
};
type ListInput = Values<typeof params>;

/** `env list`: taken page by page, unless only some of all are wanted. */
export const list = commandOf<typeof params, readonly Variable[]>(
  {
    about: environments.list.about,
    params,
    examples: [
      'stackops stack env list -s shop',
      'stackops stack env list --pending -s shop',
      "stackops stack env list -s shop --json | jq -r '.[].key'",
    ],
    calls: [deployments.list, environments.list],
    reply: environments.list.reply,
  },
  {
    kind: 'runs',
    isRead: true,
    run: async (context, input) =>
      input.pending ? pendingOf(context, input) : context.call(environments.list, placeOf(input), upToLimit(context)),
    eachPage: async (context, input, take) => {
      if (input.pending) await take(await pendingOf(context, input));
      else await context.eachPage(environments.list, placeOf(input), (rows) => take(rows), upToLimit(context));
    },
  },
);

function placeOf({ stack_id }: ListInput) {
  return { stack_id };
}

/** With other values than when the live deployment began; with --apply-strategy immediately such a value may be live already. */
async function pendingOf(context: Context, input: ListInput): Promise<readonly Variable[]> {
  const [rows, startMs] = await Promise.all([
    readAll(context, variable, input),
    deploymentStart(context, input.stack_id, 'live'),
  ]);
  return rows.filter((row) => hasChangedSince(row, startMs));
}
