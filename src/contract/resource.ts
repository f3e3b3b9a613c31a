import { type CommandLine, targetsOfInput } from './command-line.ts';
import { type Field, type Fields, type Input, type NameKind, text, type Values } from './field.ts';
import { type Operation, pathParamNames } from './operation.ts';
import type { RecordType } from './record.ts';

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

type OptionalInSpec = 'name' | 'listed' | 'param' | 'argument' | 'summary';

interface ResourceTypeSpec<Row, P extends Fields>
  extends Pick<ResourceType<Row, P>, 'list' | 'in' | 'idPattern' | 'get' | 'findByAlias' | 'distinctText'>,
    Partial<Pick<ResourceType<Row, P>, OptionalInSpec>> {
  /** The default is `name`, or the id of a row without a name. */
  readonly title?: keyof Row & string;
  /** The help of the argument. The default is `UID or exact name of the gateway.`, or `Name of the process.` */
  readonly about?: string;
  readonly label?: string;
  readonly nameKind?: NameKind;
}

/** Declares a type: `resource({ list: users.list, title: 'email' })`. Its name and its id are those of the record. */
export function resource<Row, P extends Fields>(spec: ResourceTypeSpec<Row, P>): ResourceType<Row, P> {
  const record = spec.list.reply.record as RecordType;
  const { fields, id } = record;
  const { name = record.name, title = 'name' in fields ? 'name' : id, ...rest } = spec;
  const words = title === id ? 'Name' : `${id === 'uid' ? 'UID' : 'ID'} or exact name`;
  const {
    label = name.split(' ').at(-1) ?? name,
    nameKind = name as NameKind,
    about = `${words} of the ${name}.`,
  } = spec;
  return {
    listed: `${name} list`,
    param: 'id',
    argument: label.toLowerCase(),
    summary: () => [],
    ...rest,
    name,
    fields,
    id,
    title,
    idOf: (row) => row[id as keyof Row] as string | number,
    titleOf: (row) => String(row[title as keyof Row]),
    argumentField: text(about, { label, nameKind }),
  };
}

/** Returns the input of the list operation, which is its path parameters: `{ stack_id, server_group_id }`. */
export function listInput<P extends Fields>({ list }: ResourceType<any, P>, input: Input): Values<P> {
  return Object.fromEntries(pathParamNames(list.path).map((name) => [name, input[name]])) as Values<P>;
}

/** Returns the command that lists the resources: `gateway list -a 42`. */
export function listCommand({ listed, in: parent }: ResourceType, input: Input): CommandLine {
  return { path: listed, ...(parent && { operands: [String(input[parent.argument])] }), ...targetsOfInput(input) };
}
