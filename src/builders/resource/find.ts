import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Fields, Input, Values } from '../../contract/field.ts';
import { listCommand, listInput, type ResourceType } from '../../contract/resource.ts';
import { once } from '../../contract/values/once.ts';
import { matchesPattern } from '../../contract/values/text.ts';
import { CliError, readOrUndefined, refusedChangeError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';

export function readAll<Row>(context: Context, resource: ResourceType<Row>, input: Input): Promise<readonly Row[]> {
  return context.call(resource.list, listInput(resource, input));
}

/** Returns the input of `resource.list`. If the resource has a parent, the input includes the id of the parent. */
export async function findParentInput<Row, P extends Fields>(
  context: Context,
  resource: ResourceType<Row, P>,
  input: Input,
): Promise<Values<P>> {
  const target = listInput(resource, input);
  return resource.in ? { ...target, [resource.in.param]: (await findTarget(context, resource.in, input)).id } : target;
}

/** Finds a row by its exact id, else by its name. Throws `ambiguous` for several rows, and `not_found` for none. */
export function findAmong<Row>(resource: ResourceType<Row>, rows: readonly Row[], argument: string, input: Input): Row {
  const { name, idOf, titleOf, findByAlias, distinctText } = resource;
  const rowWithId = rows.find((row) => String(idOf(row)) === argument);
  if (rowWithId !== undefined) return rowWithId;
  const rowsWithTitle = rows.filter((row) => titleOf(row) === argument);
  const matches = rowsWithTitle.length > 0 ? rowsWithTitle : (findByAlias?.(argument, rows) ?? []);
  const [first, ...more] = matches;
  if (first !== undefined && more.length === 0) return first;
  const hint = listCommand(resource, input);
  if (first !== undefined) {
    // The hint lists all resources and suggests none, because the user must choose.
    const message = `${matches.length} ${name}s are called "${argument}": ${distinctNames(resource, matches)}`;
    throw new CliError('ambiguous', message, { hint });
  }
  const full = distinctText ? rows.map(distinctText) : [];
  const similarName =
    nearest(argument, [...rows.map(titleOf), ...full]) ?? full.find((one) => one.startsWith(argument));
  const message = `${name} "${argument}" not found${similarName ? `; did you mean "${similarName}"?` : ''}`;
  throw new CliError('not_found', message, { hint });
}

function distinctNames<Row>({ idOf, distinctText }: ResourceType<Row>, rows: readonly Row[]): string {
  const names = distinctText ? rows.map(distinctText) : [];
  if (new Set(names).size === rows.length) return names.join(', ');
  return rows.map((row) => (distinctText ? `${distinctText(row)} (${idOf(row)})` : idOf(row))).join(', ');
}

type RowChoice<Row> = {
  readonly name: string;
  readonly idOf: (row: Row) => string | number;
  readonly hint: CommandLine;
};

/** Returns the only row, for a command without an argument. Throws `not_found` for no row, `ambiguous` for several. */
export function onlyRowOf<Row>(rows: readonly Row[], { name, idOf, hint }: RowChoice<Row>): Row {
  const [only, ...more] = rows;
  if (only === undefined) throw new CliError('not_found', `no ${name}`, { hint });
  if (more.length === 0) return only;
  throw new CliError('ambiguous', `which ${name}? ${rows.map(idOf).join(', ')}`, { hint });
}

/** The resource that an argument names. If the argument is an id, nothing is read before `read` is called. */
export interface Target<Row> {
  readonly id: string | number;
  /** The name of the resource, or the argument if it is an id. */
  readonly title: string;
  /** Undefined if the argument is an id. */
  readonly row: Row | undefined;
  /** Reads the list at the first call, and returns the row of the resource and all rows. */
  readonly read: () => Promise<{ readonly row: Row; readonly rows: readonly Row[] }>;
}

export async function findTarget<Row>(
  context: Context,
  resource: ResourceType<Row>,
  input: Input,
): Promise<Target<Row>> {
  const argument = String(input[resource.argument]);
  const isId = resource.idPattern?.test(argument) ?? false;
  const read = once(async () => {
    const rows = isId ? await listOrGet(context, resource, input) : await readAll(context, resource, input);
    return { rows, row: findAmong(resource, rows, argument, input) };
  });
  if (isId) {
    return { id: resource.id === 'id' ? Number(argument) : argument, title: argument, row: undefined, read };
  }
  const { row } = await read();
  const id = resource.idOf(row);
  if (id == null)
    throw new CliError('unavailable', `the service sent ${resource.name} "${argument}" without its ${resource.id}`);
  return { id, title: resource.titleOf(row), row, read };
}

async function listOrGet<Row>(context: Context, resource: ResourceType<Row>, input: Input): Promise<readonly Row[]> {
  const { get, param, argument } = resource;
  const pendingRows = readAll(context, resource, input);
  if (!get) return pendingRows;
  const getInput = { ...listInput(resource, input), [param]: input[argument] };
  return (await readOrUndefined(pendingRows)) ?? [await context.call(get, getInput)];
}

/** Throws `rejected` if there is a reason: `variant "va-active" is the active version, and …`. */
export function assertAllowed<Row>(resource: ResourceType<Row>, row: Row, input: Input, reason?: string): void {
  if (reason === undefined) return;
  const message = `${resource.name} "${resource.titleOf(row)}" is ${reason}`;
  throw refusedChangeError(message, listCommand(resource, input));
}

type Lockable = { readonly key: string; readonly readonly?: boolean };

export function refuseReadonly(rows: readonly (Lockable | undefined)[]): void {
  const lockedKeys = rows.flatMap((row) => (row?.readonly ? [row.key] : []));
  if (lockedKeys.length === 0) return;
  const verb = lockedKeys.length === 1 ? 'is' : 'are';
  throw new CliError('rejected', `${lockedKeys.join(', ')} ${verb} read-only`, { nothing: 'changed' });
}

type Search<Row> = { readonly pattern: string; readonly input: Input; readonly nameOf?: (row: Row) => string };

/** Returns the rows whose names match the pattern, in the order of the list. Throws `not_found` if no name matches. */
export function matchAmong<Row>(
  resource: ResourceType<Row>,
  rows: readonly Row[],
  search: Search<Row>,
): readonly Row[] {
  const { pattern, input, nameOf = resource.titleOf } = search;
  const matches = rows.filter((row) => matchesPattern(nameOf(row), pattern));
  if (matches.length > 0) return matches;
  const suggestedNames = similarNames(pattern, rows.map(nameOf));
  const suggestionText = suggestedNames.length > 0 ? `; similar names: ${suggestedNames.join(', ')}` : '';
  const message = `no ${resource.name} matches "${pattern}"${suggestionText}`;
  throw new CliError('not_found', message, { hint: listCommand(resource, input) });
}

function similarNames(pattern: string, names: readonly string[]): readonly string[] {
  const literal = pattern.replace(/[*?]/g, '');
  if (literal === '') return [];
  const isSimilar = (name: string) =>
    nearest(literal, [name, name.slice(0, literal.length), name.slice(-literal.length)]) !== undefined;
  return [...new Set(names.filter(isSimilar))].slice(0, 3);
}
