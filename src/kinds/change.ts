import type { Command, Confirm, Context } from '../contract/command.ts';
import type { Field, Fields } from '../contract/field.ts';
import { listOf, type Noun, placeOf } from '../contract/noun.ts';
import type { Operation } from '../contract/operation.ts';
import type { ObservedChange, Plan, Step } from '../contract/plan.ts';
import { Problem } from '../problems/problem.ts';
import { changeText, summarizeChange } from './change-lines.ts';
import { changeRecord } from './change-record.ts';
import { factsFor, findTarget, type Input, readAll } from './find.ts';
import { askedOf, placeParams } from './params.ts';
import { readBack } from './read-back.ts';
import { idFields, idsOf } from './row.ts';
import { send } from './send.ts';
import { shownBy } from './verified.ts';
import { write } from './write.ts';

/** A command that gives one resource another state. `Asked` is what is typed besides the resource and where it lies. */
export interface ChangeSpec<Row, Asked extends Input> {
  readonly about?: string;
  /** What may be asked for: those that are required are arguments, the others flags. */
  readonly params: Fields;
  readonly examples: readonly string[];
  /** Why it cannot be done to this one: `the active version, and only a canary has a share to set`. */
  readonly refuse?: (row: Row) => string | undefined;
  /** `facts`: what the question says besides those of the noun; undefined where nothing is asked. */
  readonly confirm?: Confirm & { readonly facts: (asked: Asked) => readonly string[] | undefined };
  /** What the request holds besides place, id and what was asked for. */
  readonly request?: Input;
  /** Whether the row shows what was asked for; undefined where it never does. Without it: all that `shows` names. */
  readonly verify?: (row: Row, asked: Asked) => boolean | undefined;
  /** The fields of the row as they are to be. Without it: what was asked for. */
  readonly shows?: (asked: Asked, now: Date) => Partial<Row>;
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
    params: { ...placeParams(noun), [noun.argument]: noun.word, ...params },
    positionals: [noun.argument, ...argumentsOf(params)],
    examples,
    calls: [noun.list, operation],
    record: changeRecord(idFields(noun)),
    ...(confirm && { confirm }),
    plan: async (context, input): Promise<Plan> => {
      const typed = askedOf(noun, input);
      if (Object.keys(typed).length === 0) throw nothingAsked(params);
      const { row } = await findTarget(context, { ...noun, direct: never }, input);
      if (row === undefined) throw new Error('a row is found in its list');
      const reason = spec.refuse?.(row);
      if (reason !== undefined) throw unfit(noun, row, { reason, input });
      const asked = differing(row, typed) as Asked;
      const site: ChangeRun<Row, Asked> = { context, noun, operation, spec, input, row, asked };
      const step = stepOf(site);
      const facts = confirm?.facts(asked);
      return {
        steps: [step],
        summarize: (changes) => summarizeChange(changes, { ...site, name: step.name, id: noun.idOf(row) }),
        ...(facts && {
          ask: {
            name: noun.titleOf(row),
            facts: async () => [...(await factsFor(context, noun, { row, input })), ...facts],
          },
        }),
      };
    },
  });
}

/** An id that needs no list elsewhere needs one here, for what is to be changed must be known. */
const never = /(?!)/;

interface ChangeRun<Row, Asked extends Input> {
  readonly context: Context;
  readonly noun: Noun<Row>;
  readonly operation: Operation;
  readonly spec: ChangeSpec<Row, Asked>;
  readonly input: Input;
  readonly row: Row;
  readonly asked: Asked;
}

function argumentsOf(params: Fields): readonly string[] {
  return Object.keys(params).filter((name) => params[name]?.presence === 'required');
}

/** What the row does not hold already. */
function differing(row: unknown, typed: Input): Input {
  const held = row as Input;
  return Object.fromEntries(Object.entries(typed).filter(([name, value]) => held[name] !== value));
}

function stepOf<Row, Asked extends Input>(site: ChangeRun<Row, Asked>): Step {
  const { context, noun, operation, spec, input, row, asked } = site;
  const wanted = shownOf(site);
  const verdict = verifiedIn(row, site);
  const before = valuesOf(row, site);
  const id = noun.idOf(row);
  return {
    id: idsOf(noun, row),
    name: `${noun.name} ${noun.titleOf(row)}`,
    change: 'updated',
    before,
    after: scalarOf(wanted, spec),
    isIdle: verdict === true,
    basis: before,
    send: () => {
      const places = Object.fromEntries(Object.keys(placeParams(noun)).map((name) => [name, input[name]]));
      const request = { ...places, ...spec.request, ...asked, [noun.param]: id };
      // What the row never shows now, it will not show later.
      return send(context, operation, request, verdict === undefined ? undefined : observerOf(site));
    },
    done: async (): Promise<ObservedChange> => {
      const now = await readBack(context, () => readAll(context, noun, input));
      const found = now?.find((one) => noun.idOf(one) === id);
      if (found === undefined) return {};
      const after = valuesOf(found, site);
      if (verifiedIn(found, site) === false)
        context.warn(`${noun.name} ${noun.titleOf(row)} now shows ${changeText(after, spec)}`);
      return { after };
    },
  };
}

/** The fields of the row as they are to be; a credential is shown to nobody. */
function shownOf<Row, Asked extends Input>({ noun, spec, asked, context }: ChangeRun<Row, Asked>): Input {
  const wanted: Input = (spec.shows?.(asked, context.now()) as Input | undefined) ?? asked;
  return masked(noun, wanted);
}

function masked(noun: Noun, values: Input): Input {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, noun.fields[name]?.secret ? '***' : value]),
  );
}

/** Of a row, what is to be changed: one value, or several by their names. */
function valuesOf<Row, Asked extends Input>(row: Row, site: ChangeRun<Row, Asked>): unknown {
  const held = row as Input;
  const names = Object.keys(shownOf(site));
  return scalarOf(masked(site.noun, Object.fromEntries(names.map((name) => [name, held[name] ?? null]))), site.spec);
}

/** Where one value is all that can be asked for, it stands alone. */
function scalarOf(values: Input, { params }: { readonly params: Fields }): unknown {
  return argumentsOf(params).length === 1 ? Object.values(values)[0] : values;
}

function verifiedIn<Row, Asked extends Input>(row: Row, site: ChangeRun<Row, Asked>): boolean | undefined {
  const { spec, asked, context } = site;
  if (spec.verify) return spec.verify(row, asked);
  const wanted = (spec.shows?.(asked, context.now()) as Input | undefined) ?? asked;
  return Object.entries(wanted).every(([name, value]) => (row as Input)[name] === value);
}

function observerOf<Row, Asked extends Input>(site: ChangeRun<Row, Asked>) {
  const { noun, operation, input, row } = site;
  return shownBy(operation, async (read) => {
    const rows = await read(noun.list, placeOf(noun, input));
    const found = rows.find((one) => noun.idOf(one) === noun.idOf(row));
    return found !== undefined && verifiedIn(found, site) === true ? found : undefined;
  });
}

function unfit<Row>(
  noun: Noun<Row>,
  row: Row,
  { reason, input }: { readonly reason: string; readonly input: Input },
): Problem {
  const message = `${noun.name} "${noun.titleOf(row)}" is ${reason}; nothing was sent`;
  return new Problem('rejected', message, { hint: listOf(noun, input) });
}

function nothingAsked(params: Fields): Problem {
  const flags = Object.entries<Field>(params).flatMap(([name, { label, secret }]) => {
    const flag = `--${(label ?? name).replaceAll('_', '-')}`;
    return secret ? [`${flag}-file`, `${flag}-stdin`] : [flag];
  });
  return new Problem('usage', `nothing to change: give ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`);
}
