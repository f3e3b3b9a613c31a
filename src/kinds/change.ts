import type { Command, Confirm, Context } from '../contract/command.ts';
import type { Field, Fields, Input } from '../contract/field.ts';
import { type Noun, placeOf } from '../contract/noun.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Step } from '../contract/plan.ts';
import { Problem } from '../problems/problem.ts';
import { describeStack } from '../resources/stack.ts';
import { type Says, summarizeChange } from './perform/change-lines.ts';
import { changeRecord } from './perform/change-record.ts';
import { asShown, readBack } from './perform/read-back.ts';
import { send } from './perform/send.ts';
import { shownBy } from './perform/shown-by.ts';
import { findTarget, readAll } from './resource/find.ts';
import { askedOf, placeParams } from './resource/params.ts';
import { refuseUnfit } from './resource/refuse.ts';
import { idFields, idsOf } from './resource/row.ts';
import { write } from './write.ts';

/** A command that gives one resource another state. `Asked` is what is typed besides the resource and where it lies. */
export interface ChangeSpec<Row, Asked extends Input> {
  readonly about?: string;
  /** What may be asked for: those that are required are arguments, the others flags. */
  readonly params: Fields;
  readonly examples: readonly string[];
  /** Why it cannot be done to this one: `the active version, and only a canary has a share to set`. */
  readonly refuse?: (row: Row) => string | undefined;
  /** `question`: undefined where nothing is asked. */
  readonly confirm?: Confirm & { readonly question: (asked: Asked, row: Row) => ChangeQuestion | undefined };
  /** What the request holds besides place, id and what was asked for. */
  readonly request?: Input;
  /** Whether the row shows what was asked for; undefined where it never does. Without it: all that `shows` names. */
  readonly verify?: (row: Row, asked: Asked) => boolean | undefined;
  /** The fields of the row as they are to be. Without it: what was asked for. */
  readonly shows?: (asked: Asked, now: Date) => Partial<Row>;
  /** What a field is from now on, where its two values say less: `open until 21:59 UTC (8h)`. */
  readonly says?: Says;
  /** Follows a value in a sentence: ` %`. */
  readonly unit?: string;
  /** What was before, as it would be asked for; a field that cannot be given back is left out. Without it: all texts. */
  readonly undo?: (before: Input) => Input;
}

/** One resource gets another state: noticed where it has it already, proven by its row, undone with its old values. */
export function change<Row, Asked extends Input>(
  noun: Noun<Row>,
  operation: Operation,
  spec: ChangeSpec<Row, Asked>,
): Command {
  const { params, examples, confirm, about = operation.about } = spec;
  return write({
    about,
    params: { ...placeParams(noun), [noun.argument]: noun.argumentField, ...params },
    positionals: [noun.argument, ...argumentsOf(params)],
    examples,
    calls: [noun.list, operation],
    record: changeRecord(idFields(noun)),
    ...(confirm && { confirm }),
    plan: async (context, input): Promise<Plan> => {
      const typed = askedOf(noun, input);
      if (Object.keys(typed).length === 0) throw nothingAsked(params);
      const target = await findTarget(context, noun, input);
      const { row } = await target.read();
      refuseUnfit(noun, { row, input }, spec.refuse);
      const asked = differing(row, typed) as Asked;
      const wanted = (spec.shows?.(asked, context.now()) as Input | undefined) ?? asked;
      const run: ChangeRun<Row, Asked> = { context, noun, operation, spec, input, row, asked, wanted };
      const step = stepOf(run);
      const question = confirm?.question(asked, row);
      return {
        steps: [step],
        finish: (changes) =>
          readBack(
            changes,
            () => readAll(context, noun, input),
            (change, rows) => shownIn(change, rows, run),
          ),
        summarize: (changes) => summarizeChange(changes, { ...run, name: step.name, id: noun.idOf(row) }),
        ...(question && {
          ask: {
            name: noun.titleOf(row),
            text: async () => question.text(await describeStack(context, String(input['stack_id']))),
            facts: () => question.facts,
          },
        }),
      };
    },
  });
}

interface ChangeQuestion {
  /** The whole question without its facts, given the stack as `shop/production`. */
  readonly text: (stack: string) => string;
  readonly facts: readonly string[];
}

interface ChangeRun<Row, Asked extends Input> {
  readonly context: Context;
  readonly noun: Noun<Row>;
  readonly operation: Operation;
  readonly spec: ChangeSpec<Row, Asked>;
  readonly input: Input;
  readonly row: Row;
  /** What differs from what it is. */
  readonly asked: Asked;
  /** The fields of the row as they are to be. */
  readonly wanted: Input;
}

function argumentsOf(params: Fields): readonly string[] {
  return Object.keys(params).filter((name) => params[name]?.presence === 'required');
}

/** What the row does not hold already. */
function differing(row: unknown, typed: Input): Input {
  const held = row as Input;
  return Object.fromEntries(Object.entries(typed).filter(([name, value]) => held[name] !== value));
}

function stepOf<Row, Asked extends Input>(run: ChangeRun<Row, Asked>): Step {
  const { context, noun, operation, spec, input, row, asked, wanted } = run;
  const verdict = verifiedIn(row, run);
  const before = valueIn(row as Input, run);
  const id = noun.idOf(row);
  return {
    id: idsOf(noun, row),
    name: `${noun.name} ${noun.titleOf(row)}`,
    change: 'updated',
    before,
    after: valueIn(wanted, run),
    isIdle: verdict === true,
    basis: before,
    send: () => {
      const request = { ...placeOf(noun, input), ...spec.request, ...asked, [noun.param]: id };
      // What the row never shows now, it will not show later.
      return send(context, operation, request, verdict === undefined ? undefined : observerOf(run));
    },
  };
}

function shownIn<Row, Asked extends Input>(change: Change, rows: readonly Row[], run: ChangeRun<Row, Asked>): Change {
  const { context, noun, row, wanted } = run;
  const found = rows.find((one) => noun.idOf(one) === noun.idOf(row));
  if (found === undefined) return change;
  const now = valueIn(found as Input, run);
  const name = `${noun.name} ${noun.titleOf(row)}`;
  return asShown(context, change, { name, wanted: valueIn(wanted, run), now, isWanted: verifiedIn(found, run) });
}

/** Of a row, what is to be changed, without credentials: where one value is all that can be asked for, it stands alone. */
function valueIn<Row, Asked extends Input>(row: Input, { noun, spec, wanted }: ChangeRun<Row, Asked>): unknown {
  const names = Object.keys(wanted);
  const values = names.map((name) => (noun.fields[name]?.secret ? '***' : (row[name] ?? null)));
  if (argumentsOf(spec.params).length === 1) return values[0];
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

function verifiedIn<Row, Asked extends Input>(
  row: Row,
  { spec, asked, wanted }: ChangeRun<Row, Asked>,
): boolean | undefined {
  if (spec.verify) return spec.verify(row, asked);
  return Object.entries(wanted).every(([name, value]) => (row as Input)[name] === value);
}

function observerOf<Row, Asked extends Input>(run: ChangeRun<Row, Asked>) {
  const { noun, operation, input, row } = run;
  return shownBy(operation, async (read) => {
    const rows = await read(noun.list, placeOf(noun, input));
    const found = rows.find((one) => noun.idOf(one) === noun.idOf(row));
    return found !== undefined && verifiedIn(found, run) === true ? found : undefined;
  });
}

function nothingAsked(params: Fields): Problem {
  const flags = Object.entries<Field>(params).flatMap(([name, { label, secret }]) => {
    const flag = `--${(label ?? name).replaceAll('_', '-')}`;
    return secret ? [`${flag}-file`, `${flag}-stdin`] : [flag];
  });
  return new Problem('usage', `nothing to change: give ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`);
}
