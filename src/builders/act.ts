import type { Command, Confirm, Context } from '../contract/command.ts';
import type { Declared } from '../contract/metadata.ts';
import type { Field, Input } from '../contract/field.ts';
import { type Noun, placeOf } from '../contract/resource-type.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, ChangeState, Plan, Question, Step } from '../contract/plan.ts';
import { isAction } from '../resources/action.ts';
import { describeStack } from '../resources/stack.ts';
import { isSame, observeBy, readBack, send } from './execute/send.ts';
import { changeRecord, type Details, linesOf, type More, type Verb, verbs, withMore } from './execute/summary.ts';
import { factsFor, findTarget, readAll, refuseUnfit, type Target } from './resource/find.ts';
import { paramsOf } from './resource/params.ts';
import { idFields, rowDetails, rowField, withoutSecrets } from './resource/row.ts';
import { write } from './write.ts';

interface ActSpec<Row> {
  readonly about?: string;
  readonly examples: readonly string[];
  readonly verb: Verb;
  /** Without `text` and `facts` the question is the verb, the name and the facts of the noun. */
  readonly confirm?: Pick<Confirm, 'level'> &
    Pick<Question, 'warning'> & {
      /** The question without its facts, given the stack as `shop/production`. */
      readonly text?: (row: Row, stack: string) => string;
      readonly facts?: (row: Row, rows: readonly Row[]) => readonly string[];
    };
  /** Why it cannot be done to this one: `the active version, and only a rollout is committed`. */
  readonly refuse?: (row: Row) => string | undefined;
  /** What the request holds besides place, id and what was typed. */
  readonly request?: Input;
  /** How its end is seen: the reply is no more than an acceptance. */
  readonly observer?: Observer;
  /** What is read of it when it is done, and said below its line. */
  readonly more?: More<Row>;
  /** Its list is read once more without --wait, too, since the service may go on showing what it has deleted. */
  readonly readsBack?: true;
  /** What the record shows before and after, read off all rows, where that is not the row itself: the version that is active. */
  readonly shows?: {
    readonly field: Field;
    readonly of: (rows: readonly Row[]) => unknown;
    readonly text: (value: unknown) => string;
  };
  /** What may follow it, with flags, calls and exit codes of its own, and the plan of both. */
  readonly following?: Required<Pick<Declared, 'params' | 'calls' | 'exits'>> & {
    readonly plan: (context: Context, input: Input, plan: Plan) => Promise<Plan>;
  };
}

/** Something is done to one resource that its row cannot prove: it is rebooted, or committed. */
export function act<Row>(noun: Noun<Row>, operation: Operation, spec: ActSpec<Row>): Command {
  // Only an action that was seen to end is the end.
  const change = spec.observer ? 'queued' : spec.verb.change;
  return commandOn(noun, operation, { ...spec, change, after: (row) => row });
}

/** The end of one resource: a lost reply is made up for once its row is gone. */
export function remove<Row>(
  noun: Noun<Row>,
  operation: Operation,
  spec: Omit<ActSpec<Row>, 'verb' | 'observer'>,
): Command {
  const observer = observeBy<Input, undefined>(operation, async (read, input) => {
    const rows: readonly Row[] = await read(noun.list, placeOf(noun, input));
    return !rows.some((row) => String(noun.idOf(row)) === String(input[noun.param]));
  });
  const change = verbs.delete.change;
  return commandOn(noun, operation, { ...spec, verb: verbs.delete, observer, change, after: () => null });
}

/** `change`: what the response says was done; `after`: what is left of the row. */
type Ending = { readonly change: ChangeState; readonly after: (row: Input | null) => Input | null };

function commandOn<Row>(noun: Noun<Row>, operation: Operation, spec: ActSpec<Row> & Ending): Command {
  const { verb, change, confirm, examples, shows, following, about = operation.about } = spec;
  return write({
    about,
    params: { ...paramsOf(noun, operation, spec.request), ...following?.params },
    positionals: [noun.argument],
    examples,
    calls: [noun.list, ...(noun.get ? [noun.get] : []), operation, ...(following?.calls ?? [])],
    exits: following?.exits ?? [],
    record: changeRecord(idFields(noun), { before: shows?.field ?? rowField(noun) }),
    ...(confirm && { confirm: { level: confirm.level, act: `${verb.act} ${noun.name}` } }),
    plan: async (context, input): Promise<Plan> => {
      const target = await findTarget(context, noun, input);
      const run = { context, noun, input, target };
      if (target.row !== undefined) refuseUnfit(noun, { row: target.row, input }, spec.refuse);
      const row = target.row === undefined ? null : withoutSecrets(context, noun, target.row);
      const before = shows ? shows.of((await target.read()).rows) : row;
      const typed = Object.fromEntries(Object.entries(input).filter(([name]) => name in operation.params));
      const step: Step = {
        id: { [noun.id]: target.id, [noun.title]: row && target.title },
        name: `${noun.name} ${target.title}`,
        change,
        before,
        after: shows ? before : spec.after(row),
        send: () => send(context, operation, { ...typed, ...spec.request, [noun.param]: target.id }, spec),
        done: (reply) => (isAction(reply) ? { change: verb.change } : {}),
      };
      const plan: Plan = {
        steps: [step],
        finish: (changes) => afterwards(run, spec, changes),
        ...(confirm && { ask: questionOf(run, confirm) }),
        summarize: (changes) => {
          const lines = linesOf([step], changes, { verb, details: detailsFor(run, spec) });
          return withMore({ lines }, spec.more, changes, input);
        },
      };
      return following ? following.plan(context, input, plan) : plan;
    },
  });
}

interface ActRun<Row> {
  readonly context: Context;
  readonly noun: Noun<Row>;
  readonly input: Input;
  readonly target: Target<Row>;
}

async function afterwards<Row>(
  run: ActRun<Row>,
  { shows, more, readsBack, verb }: ActSpec<Row>,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const { context, noun, input, target } = run;
  if (shows || readsBack || (verb === verbs.delete && context.wait)) {
    return readBack(
      changes,
      () => readAll(context, noun, input),
      (change, rows) => {
        if (!shows) return removedFrom(change, rows, run);
        const after = shows.of(rows);
        return { ...change, after, ...(isSame(change.before, after) && { change: 'accepted' }) };
      },
    );
  }
  if (!more) return changes;
  const read = () => more.read(context, input, target.title);
  return readBack(changes, read, (change, row) =>
    row === undefined ? change : { ...change, after: withoutSecrets(context, noun, row) },
  );
}

function removedFrom<Row>(change: Change, rows: readonly Row[], { context, noun, target }: ActRun<Row>): Change {
  // What has been deleted and is listed all the same is not deleted yet.
  const still = rows.find((row) => String(noun.idOf(row)) === String(target.id));
  return still === undefined ? change : { ...change, change: 'accepted', after: withoutSecrets(context, noun, still) };
}

function detailsFor<Row>({ context, noun }: ActRun<Row>, { shows, verb }: ActSpec<Row>): Details {
  if (!shows) return rowDetails(noun, context, 'before');
  return ({ change, before, after }) => {
    if (change === 'accepted') return [shows.text(before)];
    return change === verb.change ? [`${shows.text(before)} -> ${shows.text(after)}`] : [];
  };
}

function questionOf<Row>(
  { context, noun, input, target }: ActRun<Row>,
  { text, facts, warning }: NonNullable<ActSpec<Row>['confirm']>,
): Question {
  const stack = () => describeStack(context, String(input['stack_id']));
  return {
    name: target.row === undefined ? async () => noun.titleOf((await target.read()).row) : target.title,
    ...(text && { text: async () => text((await target.read()).row, await stack()) }),
    facts: async () => {
      const { row, rows } = await target.read();
      return facts ? facts(row, rows) : factsFor(context, noun, { row, input });
    },
    ...(warning && { warning }),
  };
}
