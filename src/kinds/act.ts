import type { Command, Confirm, Context } from '../contract/command.ts';
import { listOf, type Noun, placeOf } from '../contract/noun.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Plan, Question, Step } from '../contract/plan.ts';
import { Problem } from '../problems/problem.ts';
import { isAction } from '../resources/action.ts';
import { changeRecord } from './change-record.ts';
import { factsFor, findTarget, type Input, type Target } from './find.ts';
import { paramsOf } from './params.ts';
import { idFields, rowDetails, rowField, withoutSecrets } from './row.ts';
import { linesOf, type More, type Verb, verbs, withMore } from './say.ts';
import { shownBy } from './verified.ts';
import { write } from './write.ts';

export interface Act<Row> {
  readonly about?: string;
  readonly examples: readonly string[];
  readonly verb: Verb;
  readonly confirm?: Pick<Confirm, 'level'> & Partial<Pick<Confirm, 'act'>>;
  /** Why it cannot be done to this one: `the active version, and only a rollout is committed`. */
  readonly refuse?: (row: Row) => string | undefined;
  /** What the request holds besides place, id and what was typed. */
  readonly request?: Input;
  /** Facts of the question besides those of the noun. */
  readonly facts?: (row: Row, rows: readonly Row[]) => readonly string[];
  /** How its end is seen where the reply does not tell it. */
  readonly observer?: Observer;
  /** The reply is an acceptance: only an action that was seen to end is the end. */
  readonly isAccepted?: true;
  /** What is read of it when it is done, and said below its line. */
  readonly more?: More<Row>;
}

/** Something is done to one resource that its row cannot prove: it is rebooted, or committed. */
export function act<Row>(noun: Noun<Row>, operation: Operation, spec: Act<Row>): Command {
  return onOne(noun, operation, spec, (row) => row);
}

/** The end of one resource: a lost reply is made up for once its row is gone. */
export function remove<Row>(
  noun: Noun<Row>,
  operation: Operation,
  spec: Omit<Act<Row>, 'verb' | 'observer' | 'isAccepted'>,
): Command {
  const observer = shownBy<Input, undefined>(operation, async (read, input) => {
    const rows: readonly Row[] = await read(noun.list, placeOf(noun, input));
    return !rows.some((row) => String(noun.idOf(row)) === String(input[noun.param]));
  });
  return onOne(noun, operation, { ...spec, verb: verbs.delete, observer }, () => null);
}

type After = (row: Input | null) => Input | null;

function onOne<Row>(noun: Noun<Row>, operation: Operation, spec: Act<Row>, after: After): Command {
  const { verb, confirm, examples, about = operation.about } = spec;
  return write({
    about,
    params: paramsOf(noun, operation, spec.request),
    positionals: [noun.argument],
    examples,
    calls: [noun.list, operation],
    record: changeRecord(idFields(noun), { before: rowField(noun) }),
    ...(confirm && { confirm: { act: `${verb.act} ${noun.name}`, ...confirm } }),
    plan: async (context, input): Promise<Plan> => {
      const site = { context, noun, input, target: await findTarget(context, noun, input) };
      refuseUnfit(site, spec);
      const step = stepOf(site, operation, spec, after);
      const details = rowDetails(noun, context, 'before');
      return {
        steps: [step],
        ...(confirm && { ask: questionOf(site, spec.facts) }),
        say: (changes) => withMore({ lines: linesOf([step], changes, { verb, details }) }, spec.more, changes, input),
      };
    },
  });
}

interface Site<Row> {
  readonly context: Context;
  readonly noun: Noun<Row>;
  readonly input: Input;
  readonly target: Target<Row>;
}

function refuseUnfit<Row>({ noun, input, target }: Site<Row>, { refuse }: Act<Row>): void {
  const reason = target.row === undefined ? undefined : refuse?.(target.row);
  if (reason === undefined) return;
  throw new Problem('rejected', `${noun.name} "${target.title}" is ${reason}; nothing was sent`, {
    hint: listOf(noun, input),
  });
}

function stepOf<Row>(site: Site<Row>, operation: Operation, spec: Act<Row>, afterOf: After): Step {
  const { context, noun, input, target } = site;
  const { [noun.argument]: _, ...typed } = input;
  const before = target.row === undefined ? null : withoutSecrets(context, noun, target.row);
  const after = afterOf(before);
  return {
    id: { [noun.id]: target.id, [noun.title]: target.row === undefined ? null : target.title },
    name: `${noun.name} ${target.title}`,
    change: spec.isAccepted ? 'queued' : spec.verb.change,
    before,
    after,
    send: () => {
      const request = { ...typed, ...spec.request, [noun.param]: target.id };
      return context.call(operation, request, spec.observer && { observer: spec.observer });
    },
    done: async (reply) => ({
      ...(isAction(reply) && { change: spec.verb.change }),
      ...(spec.more && { after: (await readMore(site, spec.more)) ?? after }),
    }),
  };
}

async function readMore<Row>({ context, noun, input, target }: Site<Row>, { read }: More<Row>) {
  const row = await read(context, input, target.title);
  return row === undefined ? undefined : withoutSecrets(context, noun, row);
}

function questionOf<Row>({ context, noun, input, target }: Site<Row>, facts: Act<Row>['facts']): Question {
  return {
    name: target.row === undefined ? async () => noun.titleOf((await target.read()).row) : target.title,
    facts: async () => {
      const { row, rows } = await target.read();
      return [...(await factsFor(context, noun, { row, input })), ...(facts?.(row, rows) ?? [])];
    },
  };
}
