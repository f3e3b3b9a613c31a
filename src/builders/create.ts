import type { Command, Context } from '../contract/command.ts';
import type { Fields, Input, Values } from '../contract/field.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Step } from '../contract/plan.ts';
import { listInput, listOf, type ResourceType, targetFlags } from '../contract/resource.ts';
import { CliError } from '../errors/cli-error.ts';
import { observeBy, readBack, send } from './execute/send.ts';
import { changeRecord, isUnderWay, linesOf, type More, undoAfter, verbs, withMore } from './execute/summary.ts';
import { readAll } from './resource/find.ts';
import { idFields, idsOf, rowDetails, rowField, withoutSecrets } from './resource/row.ts';
import { write } from './write.ts';

interface CreateSpec<P extends Fields, Row> {
  /** The parameter that holds its name. */
  readonly title: keyof P & string;
  readonly positionals?: readonly (keyof P & string)[];
  readonly examples: readonly string[];
  /** What the request needs besides what was typed, such as ids in place of names; and the reads for it. */
  readonly request?: (context: Context, input: Values<P>) => Promise<Partial<Values<P>>>;
  readonly calls?: readonly Operation[];
  readonly more?: More<Row>;
}

/** A new resource. A lost reply is made up for by the one row of its name that was not there before. */
export function create<Row, P extends Fields, V>(
  resource: ResourceType<Row>,
  operation: Operation<P, V>,
  spec: CreateSpec<P, Row>,
): Command {
  const { title, request, more, calls = [], examples, positionals = [] } = spec;
  return write({
    examples,
    positionals,
    about: operation.about,
    params: operation.params,
    calls: [...calls, resource.list, operation],
    record: changeRecord(idFields(resource), { before: rowField(resource) }),
    plan: async (context, typed): Promise<Plan> => {
      const input: Input = typed;
      const name = String(input[title]);
      const asked = { ...input, ...(await request?.(context, typed as Values<P>)) };
      const observer = observerOf(resource, operation, name);
      const step: Step = {
        id: { [resource.id]: null, [resource.title]: name },
        name: `${resource.name} ${name}`,
        change: 'created',
        before: null,
        after: null,
        send: () => send(context, operation, asked, { observer }),
      };
      const read = async () => {
        const row = await more?.read(context, input, name);
        if (row !== undefined) return [row];
        return (await readAll(context, resource, input)).filter((one) => resource.titleOf(one) === name);
      };
      const shownAs = (change: Change, [row, ...others]: readonly Row[]): Change => {
        if (row === undefined) return { ...change, change: 'accepted' };
        // Of two of its name, nothing shows which is new.
        if (others.length > 0) return change;
        return { ...change, ...idsOf(resource, row), after: withoutSecrets(context, resource, row) };
      };
      return {
        steps: [step],
        finish: (changes) => readBack(changes, read, shownAs),
        summarize: (changes) => {
          const lines = linesOf([step], changes, {
            verb: verbs.create,
            details: rowDetails(resource, context, 'after'),
          });
          const [made] = changes.filter(isUnderWay);
          // A name of digits is read as the id of another first.
          const operands = [/^\d+$/.test(name) ? String(made?.[resource.id] ?? name) : name];
          const undo = made
            ? [{ path: resource.listed.replace(/list$/, 'delete'), operands, ...targetFlags(input) }]
            : [];
          return withMore({ lines, undo: undoAfter(changes, input['stack_id'], undo) }, more, changes, input);
        },
      };
    },
  });
}

/** Created when there is one of its name that was not there before; refused where the name is taken already. */
function observerOf<Row>(
  resource: ResourceType<Row>,
  operation: Operation,
  name: string,
): Observer<Input, readonly unknown[]> {
  const { list, idOf, titleOf } = resource;
  const called = (rows: readonly Row[]) => rows.filter((row) => titleOf(row) === name);
  return {
    ...observeBy(operation, async (read, input, before) => {
      const found =
        before && called(await read(list, listInput(resource, input))).filter((row) => !before.includes(idOf(row)));
      return found?.length === 1 ? found[0] : undefined;
    }),
    snapshot: async (read, input) => {
      const rows: readonly Row[] = await read(list, listInput(resource, input));
      if (called(rows).length === 0) return rows.map(idOf);
      const message = `${resource.name} "${name}" exists already`;
      throw new CliError('rejected', message, { nothing: 'sent', hint: listOf(resource, input) });
    },
  };
}
