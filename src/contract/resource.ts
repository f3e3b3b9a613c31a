import type { CommandLine } from './command-line.ts';
import { type Field, type Fields, type Input, type NameKind, text, type Values } from './field.ts';
import { type Operation, pathParamNames } from './operation.ts';

export interface ResourceType<Row = any, P extends Fields = any> {
  /** The name in messages: `database user`. */
  readonly name: string;
  readonly list: Operation<P, readonly Row[]>;
  readonly fields: Fields;
  /** The command that lists the resources: `db user list`. */
  readonly listed: string;
  readonly idOf: (row: Row) => string | number;
  readonly titleOf: (row: Row) => string;
  /** The field of a row that holds its id. */
  readonly id: string;
  /** The field of a row that holds its name. */
  readonly title: string;
  /** The type of the parent, if the parent has an argument of its own: the server of a setting. */
  readonly in?: ResourceType;
  /** The parameter for the id in the paths of operations. */
  readonly param: string;
  /** The field of the argument: the id or the exact name of a resource. */
  readonly argumentField: Field<string, 'required'>;
  readonly argument: string;
  /** Returns properties that questions and results show: `203.0.113.7`, `closed`. */
  readonly summary: (row: Row, now: Date) => readonly string[];
  /** Matches an argument that is surely an id, so no list is read to find the resource. */
  readonly idPattern?: RegExp;
  /** Reads one resource by its id, if the token may not read the list. */
  readonly get?: Operation<any, Row>;
  /** Returns the rows for an argument that is neither an id nor a name: `canary`. */
  readonly findByAlias?: (argument: string, rows: readonly Row[]) => readonly Row[];
  /** Returns text that distinguishes resources with the same name in a message. The default is the id. */
  readonly distinctText?: (row: Row) => string;
}

type PassedFields = 'name' | 'list' | 'listed' | 'in' | 'idPattern' | 'get' | 'findByAlias' | 'distinctText';

interface ResourceTypeSpec<Row, P extends Fields>
  extends Pick<ResourceType<Row, P>, PassedFields>,
    Partial<Pick<ResourceType<Row, P>, 'param' | 'argument' | 'summary'>> {
  readonly id: keyof Row & string;
  readonly title: keyof Row & string;
  /** The help of the argument. The default is `UID or exact name of the gateway.` */
  readonly about?: string;
  readonly label?: string;
  readonly nameKind?: NameKind;
}

/** Declares a type: `resource({ name: 'user', list: users.list, listed: 'user list', id: 'id', title: 'name' })`. */
export function resource<Row, P extends Fields>(spec: ResourceTypeSpec<Row, P>): ResourceType<Row, P> {
  const { about, label = spec.name.split(' ').at(-1) ?? spec.name, nameKind, ...rest } = spec;
  const { name, id, title, list } = rest;
  const argumentHelp = about ?? `${id === 'uid' ? 'UID' : 'ID'} or exact name of the ${name}.`;
  return {
    param: 'id',
    argument: label.replaceAll('-', '_'),
    summary: () => [],
    ...rest,
    fields: list.reply.record?.fields ?? {},
    idOf: (row) => row[id] as string | number,
    titleOf: (row) => String(row[title]),
    argumentField: text(argumentHelp, { label, nameKind: nameKind ?? (name as NameKind) }),
  };
}

/** Returns the input of the list operation, which is its path parameters: `{ stack_id, server_group_id }`. */
export function listInput<P extends Fields>({ list }: ResourceType<any, P>, input: Input): Values<P> {
  return Object.fromEntries(pathParamNames(list.path).map((name) => [name, input[name]])) as Values<P>;
}

/** Returns the targets of the input, for a printed command that acts on the same stack, server group and account. */
export function targetsOfInput(input: Input): Pick<CommandLine, 'stack_id' | 'server_group_id' | 'account_id'> {
  const names = ['stack_id', 'server_group_id', 'account_id'].filter((name) => input[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

/** Returns the command that lists the resources: `gateway list -a 42`. */
export function listCommand({ listed, in: parent }: ResourceType, input: Input): CommandLine {
  return { path: listed, ...(parent && { operands: [String(input[parent.argument])] }), ...targetsOfInput(input) };
}
