import type { Context } from '../../contract/command.ts';
import type { Fields, Input, Values } from '../../contract/field.ts';
import { listInput, listOf, type ResourceType } from '../../contract/resource.ts';
import { matchesPattern } from '../../contract/values/pattern.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { readOrUndefined } from '../../errors/unreadable.ts';
import { describeStack } from '../../resources/stack.ts';

export async function readAll<Row>(
  context: Context,
  resource: ResourceType<Row>,
  input: Input,
): Promise<readonly Row[]> {
  return context.call(resource.list, listInput(resource, input));
}

/** Where the resources of a noun lie, once what they lie in has been found. */
export async function findParent<Row, P extends Fields>(
  context: Context,
  resource: ResourceType<Row, P>,
  input: Input,
): Promise<Values<P>> {
  const place = listInput(resource, input);
  return resource.in ? { ...place, [resource.in.param]: (await findTarget(context, resource.in, input)).id } : place;
}

/** The one that an argument means: by exact id, then by exact name; throws not_found with the nearest name, or ambiguous. */
export function findAmong<Row>(resource: ResourceType<Row>, rows: readonly Row[], argument: string, input: Input): Row {
  const { name, idOf, titleOf, means, distinct } = resource;
  const byId = rows.find((row) => String(idOf(row)) === argument);
  if (byId !== undefined) return byId;
  const titled = rows.filter((row) => titleOf(row) === argument);
  const found = titled.length > 0 ? titled : (means?.(argument, rows) ?? []);
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return first;
  const hint = listOf(resource, input);
  if (first !== undefined) {
    // Not the command with one of them: a printed command must not make the choice.
    const message = `${found.length} ${name}s are called "${argument}": ${distinctNames(resource, found).join(', ')}`;
    throw new CliError('ambiguous', message, { hint });
  }
  const longer = distinct ? rows.map(distinct) : [];
  const close = nearest(argument, [...rows.map(titleOf), ...longer]) ?? longer.find((one) => one.startsWith(argument));
  const message = `${name} "${argument}" not found${close ? `; did you mean "${close}"?` : ''}`;
  throw new CliError('not_found', message, { hint });
}

function distinctNames<Row>(
  { idOf, distinct }: ResourceType<Row>,
  found: readonly Row[],
): readonly (string | number)[] {
  const names = distinct ? found.map(distinct) : [];
  if (new Set(names).size === found.length) return names;
  return found.map((row) => (distinct ? `${distinct(row)} (${idOf(row)})` : idOf(row)));
}

/** Ids of those that arguments mean; where none is listed, the arguments. Throws not_found or ambiguous. */
export async function findIds<Row>(
  context: Context,
  resource: ResourceType<Row>,
  names: readonly string[],
  input: Input,
): Promise<readonly string[]> {
  const rows = await readOrUndefined(readAll(context, resource, input));
  return rows?.length ? names.map((name) => String(resource.idOf(findAmong(resource, rows, name, input)))) : names;
}

/** One resource that an argument means. An argument that is an id already needs no list, until more must be known. */
export interface Target<Row> {
  readonly id: string | number;
  /** Its name; the argument, where no list was needed. */
  readonly title: string;
  readonly row: Row | undefined;
  /** Its row among all rows, read once. */
  readonly read: () => Promise<{ readonly row: Row; readonly rows: readonly Row[] }>;
}

export async function findTarget<Row>(
  context: Context,
  resource: ResourceType<Row>,
  input: Input,
): Promise<Target<Row>> {
  const argument = String(input[resource.argument]);
  const isId = resource.direct?.test(argument) ?? false;
  const reading = async () => {
    const rows = isId ? await listOrGet(context, resource, input) : await readAll(context, resource, input);
    return { rows, row: findAmong(resource, rows, argument, input) };
  };
  let found: ReturnType<typeof reading> | undefined;
  const read = () => {
    found ??= reading();
    return found;
  };
  if (isId) {
    return { id: resource.id === 'id' ? Number(argument) : argument, title: argument, row: undefined, read };
  }
  const { row } = await read();
  const id = resource.idOf(row);
  if (id == null)
    throw new CliError('unavailable', `the service sent ${resource.name} "${argument}" without its ${resource.id}`);
  return { id, title: resource.titleOf(row), row, read };
}

/** For a token that may not list: the one of the id that was given. */
async function listOrGet<Row>(context: Context, resource: ResourceType<Row>, input: Input): Promise<readonly Row[]> {
  const { get, param, argument } = resource;
  const listing = readAll(context, resource, input);
  if (!get) return listing;
  const one = { ...listInput(resource, input), [param]: input[argument] };
  return (await readOrUndefined(listing)) ?? [await context.call(get, one)];
}

/** What a question says of it: where it lies, and what it is now. */
export async function summaryFor<Row>(
  context: Context,
  resource: ResourceType<Row>,
  { row, input }: { readonly row: Row; readonly input: Input },
): Promise<readonly string[]> {
  const { stack_id } = input;
  const where = typeof stack_id === 'string' ? [`of ${await describeStack(context, stack_id)}`] : [];
  return [...where, ...resource.summary(row, context.now())];
}

/** Throws rejected for a resource to which this cannot be done: `variant "va-active" is the active version, and …`. */
export function assertAllowed<Row>(
  resource: ResourceType<Row>,
  { row, input }: { readonly row: Row; readonly input: Input },
  refuse: ((row: Row) => string | undefined) | undefined,
): void {
  const reason = refuse?.(row);
  if (reason === undefined) return;
  const message = `${resource.name} "${resource.titleOf(row)}" is ${reason}`;
  throw new CliError('rejected', message, { nothing: 'sent', hint: listOf(resource, input) });
}

/** Throws rejected where `readonly` blocks a write; `is_generated` alone does not. */
export function refuseReadonly(
  known: readonly ({ readonly key: string; readonly readonly?: boolean } | undefined)[],
): void {
  const locked = known.flatMap((one) => (one?.readonly ? [one.key] : []));
  if (locked.length === 0) return;
  const verb = locked.length === 1 ? 'is' : 'are';
  throw new CliError('rejected', `${locked.join(', ')} ${verb} read-only`, { nothing: 'changed' });
}

/**
 * The rows whose names match, in the order of the list; `input` says where they lie. Throws not_found with similar names. For
 * reads only.
 */
export function matchAmong<Row>(
  resource: ResourceType<Row>,
  rows: readonly Row[],
  { pattern, input, nameOf = resource.titleOf }: { pattern: string; input: Input; nameOf?: (row: Row) => string },
): readonly Row[] {
  const found = rows.filter((row) => matchesPattern(nameOf(row), pattern));
  if (found.length > 0) return found;
  const similar = similarNames(pattern, rows.map(nameOf));
  const guess = similar.length > 0 ? `; similar names: ${similar.join(', ')}` : '';
  throw new CliError('not_found', `no ${resource.name} matches "${pattern}"${guess}`, {
    hint: listOf(resource, input),
  });
}

function similarNames(pattern: string, names: readonly string[]): readonly string[] {
  const literal = pattern.replace(/[*?]/g, '');
  if (literal === '') return [];
  const isSimilar = (name: string) =>
    nearest(literal, [name, name.slice(0, literal.length), name.slice(-literal.length)]) !== undefined;
  return [...new Set(names.filter(isSimilar))].slice(0, 3);
}
