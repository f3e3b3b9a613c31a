import { type Field, type Input, integer, nullable, oneOf, opaque, text } from '../../contract/field.ts';
import { fillPath, type Operation } from '../../contract/operation.ts';
import { type RecordOf, type Row, record } from '../../contract/record.ts';
import { mask } from '../../contract/values/text.ts';
import { isSecretVariable } from '../../resources/env.ts';
import { operationById } from '../../resources/index.ts';
import { findRoutes } from '../../sandbox/request/router.ts';
import type { AcceptedWrite, StackState, State } from '../../sandbox/state.ts';

export const AcceptedRequest = record(
  'accepted request',
  {
    operation: text('Operation of the service.'),
    path: text('Path.'),
    body: opaque('Parameters of the body.'),
    status: integer('Status of the response.'),
  },
  ['operation', 'path', 'body', 'status'],
);

export const VerifiedChange = record(
  'verified change',
  {
    name: text('Variable, setting, variant or other subject.'),
    state: oneOf(['valid', 'already', 'changed', 'not_possible'], 'Whether the change can be made.'),
    reason: nullable(text('Reason, if it cannot.')),
    before: nullable(text('Value at the clone.')),
    after: nullable(text('Last value of the copy.')),
    now: nullable(text('Value at the service.')),
    command: nullable(text('Command that makes the change.')),
    operation: text('Operation of the service.'),
    path: text('Path.'),
  },
  ['state', 'name', 'reason', 'command'],
  { id: 'name' },
);
export interface Request extends AcceptedWrite {
  readonly operation: Operation;
  readonly pathValues: Input;
  /** The parameters of the path and of the body. */
  readonly input: Input;
}

/** Returns the resource in the ID of an operation: `variants` for `variants.update`. */
export function resourceNameOf(id: string): string {
  return id.replace(/\..*/, '');
}

export function requestOf({ id, path, body }: AcceptedWrite): Request {
  const operation = operationById(id) as Operation;
  const { pathValues = {} } = findRoutes(operation.method, path).find((route) => route.id === id) ?? {};
  return { id, operation, path, body, pathValues, input: { ...body, ...pathValues } };
}

/** Returns the requests that a sandbox accepted, in order. Secrets are masked unless `reveal` is true. */
export function acceptedRows(state: State, reveal: boolean): readonly RecordOf<typeof AcceptedRequest>[] {
  return state.writes.map((write) => acceptedRow(requestOf(write), state, reveal));
}

export function acceptedRow(request: Request, state: State, reveal: boolean): RecordOf<typeof AcceptedRequest> {
  const { id, operation, path, body, pathValues, input } = request;
  const isHidden = (name: string): boolean => {
    if (reveal) return false;
    if (name === 'value') return isValueSecret(id, input, state);
    const field: Field | undefined = operation.params[name];
    return field ? field.secret === true || field.signed === true : isSecretVariable({ key: name, is_password: false });
  };
  const maskHidden = (values: Input): Input =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isHidden(name) ? mask : value]));
  const isPathSecret = Object.keys(pathValues).some(isHidden);
  const shownPath = isPathSecret ? fillPath(operation.path, maskHidden(pathValues)).replaceAll('%2A', '*') : path;
  return { operation: `${operation.method} ${operation.path}`, path: shownPath, body: maskHidden(body), status: 200 };
}

/** Returns a line for each request: `PUT /stacks/…/environments/LOG_LEVEL {"value":"debug"}`. */
export function acceptedLines(rows: readonly Row[]): readonly string[] {
  return rows.map(({ operation, path, body }) => {
    const [method] = String(operation).split(' ');
    const bodyText = Object.keys(body as object).length === 0 ? '' : ` ${JSON.stringify(body)}`;
    return `${method} ${path}${bodyText}`;
  });
}

function isValueSecret(id: string, { stack_id, ...input }: Input, { stacks }: State): boolean {
  const stack = stacks.find(({ row }) => row.uid === stack_id);
  const key = input['env_var_key'] ?? input['key'] ?? findSettingKey(input['id'], stack);
  const variable = id.startsWith('environments.') && stack?.variables.find((one) => one.key === key);
  return isSecretVariable({ key, value: input['value'], is_password: variable ? variable.is_password : false });
}

function findSettingKey(id: unknown, stack: StackState | undefined): unknown {
  const settings = stack && [stack, ...stack.servers].flatMap((owner) => owner.settings);
  return settings?.find((setting) => String(setting.id) === id)?.key ?? id;
}

export function verifiedLines(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ name, state, reason, before, after, command }) => {
    const values = before === null && after === null ? '' : `: ${before ?? 'none'} -> ${after ?? 'deleted'}`;
    const details = [reason, command].filter(Boolean).map((text) => `${' '.repeat(14)}${text}`);
    return [`${String(state).replace('_', ' ').padEnd(12)}  ${name}${values}`, ...details];
  });
}
