import type { CommandLine } from './command-line.ts';
import { type Field, type Fields, type Input, type Names, text, type Values } from './field.ts';
import { type Operation, pathNames } from './operation.ts';

/** Describes a type of resource that is found in a list. */
export interface ResourceType<Row = any, P extends Fields = any> {
  /** The name in messages: `database user`. */
  readonly name: string;
  readonly list: Operation<P, readonly Row[]>;
  readonly fields: Fields;
  /** The command that lists them: `db user list`. */
  readonly listed: string;
  readonly idOf: (row: Row) => string | number;
  readonly titleOf: (row: Row) => string;
  /** The field names of its id and its name. */
  readonly id: string;
  readonly title: string;
  /** The parent with its own argument: the server of a setting. */
  readonly in?: ResourceType;
  /** The parameter for its id in the paths of its operations. */
  readonly param: string;
  /** The parameter for its id or exact name. */
  readonly argumentField: Field<string, 'required'>;
  readonly argument: string;
  /** Properties for questions and results: `203.0.113.7`, `closed`. */
  readonly summary: (row: Row, now: Date) => readonly string[];
  /** Matches an id, which needs no list. */
  readonly direct?: RegExp;
  /** Reads one by its id, if the token cannot list. */
  readonly get?: Operation<any, Row>;
  /** The rows for an argument that is neither an id nor a name: `canary`. */
  readonly means?: (argument: string, rows: readonly Row[]) => readonly Row[];
  /** Distinguishes resources with the same name in a message; the default is the id. */
  readonly distinct?: (row: Row) => string;
}

type OwnFields = 'name' | 'list' | 'listed' | 'in' | 'direct' | 'get' | 'means' | 'distinct';

interface ResourceTypeSpec<Row, P extends Fields>
  extends Pick<ResourceType<Row, P>, OwnFields>,
    Partial<Pick<ResourceType<Row, P>, 'param' | 'argument' | 'summary'>> {
  readonly id: keyof Row & string;
  readonly title: keyof Row & string;
  /** Replaces `UID or exact name of the gateway.` */
  readonly about?: string;
  readonly label?: string;
  readonly names?: Names;
}

/** `resource({ name: 'gateway', list: gateways.list, listed: 'gateway list', id: 'id', title: 'name' })` */
export function resource<Row, P extends Fields>(spec: ResourceTypeSpec<Row, P>): ResourceType<Row, P> {
  const { name, id, title, summary = () => [], about, label = name.split(' ').at(-1) ?? name, names, ...rest } = spec;
  const sentence = about ?? `${id === 'uid' ? 'UID' : 'ID'} or exact name of the ${name}.`;
  return {
    param: 'id',
    argument: label.replaceAll('-', '_'),
    ...rest,
    fields: rest.list.reply.record?.fields ?? {},
    name,
    id,
    title,
    summary,
    idOf: (row) => row[id] as string | number,
    titleOf: (row) => String(row[title]),
    argumentField: text(sentence, { label, names: names ?? (name as Names) }),
  };
}

/** The path parameters of its list: `{ stack_id, server_group_id }`. */
export function listInput<P extends Fields>({ list }: ResourceType<any, P>, input: Input): Values<P> {
  return Object.fromEntries(pathNames(list.path).map((name) => [name, input[name]])) as Values<P>;
}

/** The targets of a printed command that acts like the running one. */
export function targetFlags(input: Input): Pick<CommandLine, 'stack_id' | 'server_group_id' | 'account_id'> {
  const names = ['stack_id', 'server_group_id', 'account_id'].filter((name) => input[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

/** The command that lists the resources: `gateway list -a 42`. */
export function listOf({ listed, in: owner }: ResourceType, input: Input): CommandLine {
  return { path: listed, ...(owner && { operands: [String(input[owner.argument])] }), ...targetFlags(input) };
}
