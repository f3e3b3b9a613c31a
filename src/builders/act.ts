import type { Command, Confirm, Context } from '../contract/command.ts';
import type { Field, Input } from '../contract/field.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Question, Step } from '../contract/plan.ts';
import { listInput, type ResourceType } from '../contract/resource.ts';
import { isAction } from '../resources/action.ts';
import { readStackTitle } from '../resources/stack.ts';
import { createObserver, isSameValue, readBack, send } from './execute/send.ts';
import {
  changeRecord,
  type DescribeChange,
  type ExtraRead,
  linesOf,
  type Verb,
  verbs,
  withExtra,
} from './execute/summary.ts';
import { assertAllowed, findTarget, readAll, type Target } from './resource/find.ts';
import { argsOf, idFields, paramsOf, rowDetails, rowField, withoutSecrets } from './resource/row.ts';
import { write } from './write.ts';

interface ActSpec<Row> {
  readonly about?: string;
  readonly examples: readonly string[];
  readonly verb: Verb;
  /** The question. Without `text` and `details` it has the verb, the name and the summary of the resource. */
  readonly confirm?: Pick<Confirm, 'level'> &
    Pick<Question, 'warning'> & {
      /** The question without its details; `stack` is `shop/production`. */
      readonly text?: (row: Row, stack: string) => string;
      readonly details?: (row: Row, rows: readonly Row[]) => readonly string[];
    };
  /** Returns the reason for a refusal, `the active version, and only a rollout is committed`, or undefined. */
  readonly refusal?: (row: Row) => string | undefined;
  /** Fixed values of the request, in addition to the arguments. */
  readonly request?: Input;
  /** Checks the outcome after a lost reply. With a `watch`, any reply says only that the operation was accepted. */
  readonly observer?: Observer;
  readonly extraRead?: ExtraRead<Row>;
  /** True to read the list after the change even without --wait. The service may still list a deleted resource. */
  readonly readsBack?: true;
  /** The value that the change record shows, made from all rows: the active version. The default is the row itself. */
  readonly recordedValue?: {
    readonly field: Field;
    readonly valueIn: (rows: readonly Row[]) => unknown;
    readonly text: (value: unknown) => string;
  };
}

type RemoveSpec<Row> = Omit<ActSpec<Row>, 'verb' | 'observer'>;

/** Returns a command that deletes one resource. After a lost reply the missing row proves the deletion. */
export function remove<Row>(resource: ResourceType<Row>, operation: Operation, spec: RemoveSpec<Row>): Command {
  const observer = createObserver<Input, undefined>(operation, async (read, input) => {
    const rows: readonly Row[] = await read(resource.list, listInput(resource, input));
    return !rows.some((row) => String(resource.idOf(row)) === String(input[resource.param]));
  });
  return act(resource, operation, { ...spec, verb: verbs.delete, observer });
}

/** Returns a command for an operation on one resource, such as a reboot. The row does not show whether it was done. */
export function act<Row>(resource: ResourceType<Row>, operation: Operation, spec: ActSpec<Row>): Command {
  const { verb, confirm, examples, recordedValue, about = operation.about } = spec;
  return write({
    about,
    params: paramsOf(resource, operation, spec.request),
    positionals: [resource.argument],
    examples,
    calls: [resource.list, ...(resource.get ? [resource.get] : []), operation],
    record: changeRecord(idFields(resource), { before: recordedValue?.field ?? rowField(resource) }),
    ...(confirm && { confirm: { level: confirm.level, act: `${verb.act} ${resource.name}` } }),
    plan: async (context, input): Promise<Plan> => {
      const target = await findTarget(context, resource, input);
      const actRun = { context, resource, input, target };
      if (target.row !== undefined) assertAllowed(resource, target.row, input, spec.refusal?.(target.row));
      const row = target.row === undefined ? null : withoutSecrets(context, resource, target.row);
      const before = recordedValue ? recordedValue.valueIn((await target.read()).rows) : row;
      const args = argsOf(operation, input);
      const step: Step = {
        id: { [resource.id]: target.id, [resource.title]: row && target.title },
        name: `${resource.name} ${target.title}`,
        // With a watch the reply is only an acceptance, so the change is queued until its action has ended.
        change: spec.observer?.watch ? 'queued' : verb.change,
        before,
        after: verb === verbs.delete ? null : before,
        send: () => send(context, operation, { ...args, ...spec.request, [resource.param]: target.id }, spec),
        done: (reply) => (isAction(reply) ? { change: verb.change } : {}),
      };
      const withAfter = (change: Change, after: unknown): Change => {
        // Undefined: the state was not read, or the resource is not listed.
        if (after === undefined) return change;
        // The change is only accepted while the old value is shown, or the deleted resource is still listed.
        const isOld = recordedValue ? isSameValue(change.before, after) : verb === verbs.delete;
        return { ...change, after, ...(isOld && { change: 'accepted' }) };
      };
      return {
        steps: [step],
        finish: (changes) => readBack(changes, () => readAfter(actRun, spec), withAfter),
        ...(confirm && { ask: questionOf(actRun, confirm) }),
        summarize: (changes) => {
          const lines = linesOf([step], changes, { verb, details: detailsFor(actRun, spec) });
          return withExtra({ lines }, spec.extraRead, changes, input);
        },
      };
    },
  });
}

interface ActRun<Row> {
  readonly context: Context;
  readonly resource: ResourceType<Row>;
  readonly input: Input;
  readonly target: Target<Row>;
}

async function readAfter<Row>({ context, resource, input, target }: ActRun<Row>, spec: ActSpec<Row>): Promise<unknown> {
  const { recordedValue, extraRead, readsBack, observer } = spec;
  const readRows = () => readAll(context, resource, input);
  if (recordedValue) return recordedValue.valueIn(await readRows());
  // With --wait the operation has ended, so the row shows the new state.
  if (!extraRead && !readsBack && !(observer && context.wait)) return undefined;
  const row = extraRead
    ? await extraRead.read(context, input, target.title)
    : (await readRows()).find((one) => String(resource.idOf(one)) === String(target.id));
  return row && withoutSecrets(context, resource, row);
}

function detailsFor<Row>({ context, resource }: ActRun<Row>, { recordedValue, verb }: ActSpec<Row>): DescribeChange {
  if (!recordedValue) return rowDetails(resource, context);
  return ({ change, before, after }) => {
    if (change === 'accepted') return [recordedValue.text(before)];
    return change === verb.change ? [`${recordedValue.text(before)} -> ${recordedValue.text(after)}`] : [];
  };
}

function questionOf<Row>(actRun: ActRun<Row>, confirm: NonNullable<ActSpec<Row>['confirm']>): Question {
  const { context, resource, input, target } = actRun;
  const { text, details, warning } = confirm;
  const { stack_id } = input;
  const readStackText = () => readStackTitle(context, String(stack_id));
  return {
    name: async () => resource.titleOf((await target.read()).row),
    ...(text && { text: async () => text((await target.read()).row, await readStackText()) }),
    details: async () => {
      const { row, rows } = await target.read();
      if (details) return details(row, rows);
      const stackDetails = typeof stack_id === 'string' ? [`of ${await readStackText()}`] : [];
      return [...stackDetails, ...resource.summary(row, context.now())];
    },
    ...(warning && { warning }),
  };
}
