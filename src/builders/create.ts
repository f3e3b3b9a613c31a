import type { Command, Confirm, Context } from '../contract/command.ts';
import { targetsOfInput } from '../contract/command-line.ts';
import type { Fields, Input } from '../contract/field.ts';
import type { Observer } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { Change, Plan, Step } from '../contract/plan.ts';
import { listCommand, listInput, type ResourceType } from '../contract/resource.ts';
import { readOrUndefined, refusedChangeError } from '../errors/cli-error.ts';
import { createObserver, readBack, send } from './execute/send.ts';
import { changeRecord, type ExtraRead, isUnderWay, linesOf, undoAfter, verbs, withExtra } from './execute/summary.ts';
import { findAmong, readAll } from './resource/find.ts';
import { argsOf, identityOf, idFields, rowDetails, rowField, withoutSecrets } from './resource/row.ts';
import { write } from './write.ts';

/** A parameter with ids or names of rows of another type. The request has their ids. */
type References<Param> = { readonly param: Param; readonly type: ResourceType };

interface CreateSpec<P extends Fields, Row> {
  /** The parameter that holds the name of the new resource. */
  readonly title: keyof P & string;
  readonly positionals?: readonly (keyof P & string)[];
  readonly examples: readonly string[];
  readonly references?: References<keyof P & string>;
  readonly extraRead?: ExtraRead<Row>;
  readonly confirm?: Confirm;
}

/** Returns a command that creates a resource. After a lost reply, one new row with the name proves the creation. */
export function create<Row, P extends Fields, V>(
  resource: ResourceType<Row>,
  operation: Operation<P, V>,
  spec: CreateSpec<P, Row>,
): Command {
  const { title, references, extraRead, examples, positionals = [], confirm } = spec;
  return write({
    examples,
    positionals,
    confirm,
    about: operation.about,
    params: operation.params,
    calls: [...(references ? [references.type.list] : []), resource.list, operation],
    record: changeRecord(idFields(resource), { before: rowField(resource) }),
    plan: async (context, input: Input): Promise<Plan> => {
      const name = String(input[title]);
      const referredIds = references && (await findReferences(context, references, input));
      const request = { ...argsOf(operation, input), ...referredIds };
      const observer = creationObserver(resource, operation, name);
      const step: Step = {
        id: { [resource.id]: null, [resource.title]: name },
        name: `${resource.name} ${name}`,
        change: 'created',
        send: () => send(context, operation, request, { observer }),
      };
      const readNewRows = async () => {
        const row = await extraRead?.read(context, input, name);
        if (row !== undefined) return [row];
        return (await readAll(context, resource, input)).filter((one) => resource.titleOf(one) === name);
      };
      const withCreatedRow = (change: Change, [row, ...others]: readonly Row[]): Change => {
        if (row === undefined) return { ...change, change: 'accepted' };
        // Several rows have the name, and any may be the new one, so the change record shows none of them.
        if (others.length > 0) return change;
        return { ...change, ...identityOf(resource, row), after: withoutSecrets(context, resource, row) };
      };
      return {
        steps: [step],
        finish: (changes) => readBack(changes, readNewRows, withCreatedRow),
        summarize: (changes) => {
          const lines = linesOf([step], changes, { verb: verbs.create, details: rowDetails(resource, context) });
          const creation = changes.find(isUnderWay);
          // A name of digits could be the id of another resource, so the undo names the id.
          const operands = [/^\d+$/.test(name) ? String(creation?.[resource.id] ?? name) : name];
          const undoCommands = creation
            ? [{ path: resource.listed.replace(/list$/, 'delete'), operands, ...targetsOfInput(input) }]
            : [];
          const undo = undoAfter(changes, input['stack_id'], undoCommands);
          return withExtra({ lines, undo }, extraRead, changes, input);
        },
      };
    },
  });
}

async function findReferences(context: Context, { param, type }: References<string>, input: Input): Promise<Input> {
  const words = (input[param] ?? []) as readonly string[];
  const rows = words.length > 0 ? await readOrUndefined(readAll(context, type, input)) : undefined;
  // If the list is empty or unreadable, the words are sent as typed.
  if (!rows?.length) return {};
  return { [param]: words.map((word) => String(type.idOf(findAmong(type, rows, word, input)))) };
}

/** The snapshot has the ids of all rows before the creation. */
type CreationObserver = Observer<Input, readonly unknown[]>;

function creationObserver<Row>(resource: ResourceType<Row>, operation: Operation, name: string): CreationObserver {
  const { list, idOf, titleOf } = resource;
  const rowsWithName = (rows: readonly Row[]) => rows.filter((row) => titleOf(row) === name);
  return {
    ...createObserver(operation, async (read, input, before) => {
      if (!before) return undefined;
      const rows = rowsWithName(await read(list, listInput(resource, input)));
      const [newRow, ...others] = rows.filter((row) => !before.includes(idOf(row)));
      return others.length === 0 ? newRow : undefined;
    }),
    snapshot: async (read, input) => {
      const rows: readonly Row[] = await read(list, listInput(resource, input));
      if (rowsWithName(rows).length === 0) return rows.map(idOf);
      throw refusedChangeError(`${resource.name} "${name}" exists already`, listCommand(resource, input));
    },
  };
}
