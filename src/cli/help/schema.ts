import { type Command, commandWrites } from '../../contract/command.ts';
import { type Field, type Fields, holdsSecret, isField, mayBeAbsent } from '../../contract/field.ts';
import { isListReply } from '../../contract/reply.ts';
import type { TopLevelCommand } from '../../contract/tree.ts';
import type { JsonObject } from '../../contract/values/json.ts';
import { loadCommands } from './describe.ts';

export async function schemasOf(topLevel: readonly TopLevelCommand[]): Promise<ReadonlyMap<string, JsonObject>> {
  const commands = (await loadCommands(topLevel)).filter(([, { output }]) => output.reply);
  return new Map(commands.map(([name, command]) => [name, schemaOf(name, command)]));
}

function schemaOf(name: string, command: Command): JsonObject {
  const isWrite = commandWrites(command);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `stackops ${name} --json`,
    description: command.about,
    anyOf: [...resultSchemas(command), ...(isWrite ? [requestRef, arraySchemaOf(requestRef)] : [])],
    $defs: { row: rowSchema(command), ...(isWrite && { request: requestSchema }) },
  };
}

const rowRef = { $ref: '#/$defs/row' };
const requestRef = { $ref: '#/$defs/request' };
const arraySchemaOf = (items: JsonObject) => ({ type: 'array', items });

const requestSchema = {
  description: 'A request that --dry-run does not send.',
  type: 'object',
  properties: { dry_run: { const: true }, method: { type: 'string' }, url: { type: 'string' }, body: {} },
  required: ['dry_run', 'method', 'url'],
};

function resultSchemas({ output, targets }: Command): readonly JsonObject[] {
  if (isListOutput(output)) return [arraySchemaOf(rowRef)];
  // One change may entail others, so the result of a change may be a list.
  const mayBeList = ['rows', 'change'].includes(output.kind) || targets.stacks === 'several';
  return mayBeList ? [rowRef, arraySchemaOf(rowRef)] : [rowRef];
}

function isListOutput({ reply }: Command['output']): boolean {
  return reply !== undefined && isListReply(reply);
}

function rowSchema({ output, targets }: Command): JsonObject {
  const fields: Fields | undefined = output.reply?.record?.fields;
  if (!fields) return {};
  // The row of a stack or an entity that cannot be read has an error instead of fields, so no field is required.
  const hasAllFields = targets.stacks !== 'several' && (output.kind !== 'rows' || isListOutput(output));
  const schema = fieldsSchema(fields, hasAllFields);
  if (!Object.values(fields).some(holdsSecret)) return schema;
  const masked = { ...arraySchemaOf({ type: 'string' }), description: 'Paths of the secrets that are masked as ***.' };
  return { ...schema, properties: { ...(schema['properties'] as JsonObject), masked } };
}

function fieldsSchema(fields: Fields, hasAllFields: boolean): JsonObject {
  const entries = Object.entries(fields);
  const properties = Object.fromEntries(entries.map(([name, field]) => [name, valueSchema(field)]));
  const required = entries.flatMap(([name, { needed, aliases }]) => (hasAllFields && needed && !aliases ? [name] : []));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Returns a schema that accepts the same values as the reader of replies does: the service may send "2" for 2. */
function valueSchema(field: Field): JsonObject {
  const types = typesOf(field);
  return {
    description: field.about,
    ...(types && { type: [...types, ...(mayBeAbsent(field) ? ['null'] : [])] }),
    ...(field.choices && { examples: field.choices }),
    ...innerSchema(field),
  };
}

function typesOf({ kind, unit }: Field): readonly string[] | undefined {
  const types: Readonly<Partial<Record<Field['kind'], readonly string[]>>> = {
    text: ['string', 'number', 'boolean'],
    choice: ['string'],
    instant: ['string'],
    integer: [unit === undefined ? 'integer' : 'number', 'string'],
    flag: ['boolean', 'string', 'integer'],
    many: ['array', 'object', 'string'],
    group: ['object', 'string', 'integer'],
    map: ['object', 'array'],
  };
  return types[kind];
}

function innerSchema({ kind, of }: Field): JsonObject {
  if (kind === 'group') return { properties: fieldsSchema(of as Fields, false)['properties'] };
  if (!isField(of)) return {};
  return kind === 'many' ? { items: valueSchema(of) } : { additionalProperties: valueSchema(of) };
}
