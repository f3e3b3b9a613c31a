import type { Field, Fields, Values } from './field.ts';
import { accountParam, serverGroupParam, stackParam } from './params.ts';
import { isListReply, type Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The scope that a token needs. `none`: no token is needed. `unknown`: the endpoint is not documented. */
export type Scope = 'public' | 'users' | 'admin' | 'redeploy' | 'none' | 'unknown';

export interface Operation<P extends Fields = any, V = any> {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly about: string;
  readonly params: P;
  readonly reply: Reply<V>;
  /**
   * Where parameters that are not in the path are sent. The default is the body for POST, PUT and PATCH, else the
   * query. `raw`: the path is sent unchanged, with `query` (URLSearchParams) and `body` (a value or text) of the input.
   */
  readonly sends?: 'query' | 'body' | 'raw';
  /** The assumption made where service.md says "not shown". */
  readonly undocumented?: string;
  /** The command that shows whether a write took effect, if it is not `listCommand`. See `fillCommand`. */
  readonly check?: string;
  /** The command in the hint of a 404: `variant list`. See `fillCommand`. */
  readonly listCommand?: string;
  /** The subject in the message of a 404: `deployment {deployment_id}`. */
  readonly missing?: string;
  /** True if service.md does not have the endpoint. A 404 then means that this service does not offer the endpoint. */
  readonly outside?: true;
  /** True if a plain acknowledgement means that the work is only queued. */
  readonly queues?: true;
  /** The parameter with the ID of the record in the reply. A reply with another `id` is refused. */
  readonly idParam?: string;
  /** Query parameters that filter a list. A service may ignore them, so we also compare the fields of these names. */
  readonly filters?: readonly string[];
  /** The reason why no command offers the endpoint. */
  readonly withheld?: string;
}

/** The `:names` of a path: `PathParamNames<'/stacks/:stack_id/x/:id'>` is `'stack_id' | 'id'`. */
export type PathParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type InputOf<O extends Operation> = Values<O['params']>;
/** The unwrapped reply: `ReplyOf<typeof variants.list>` is a list of variants. */
export type ReplyOf<O extends Operation> = O extends Operation<any, infer V> ? V : never;

export interface ReadOptions {
  readonly limit?: number | undefined;
  /** Ends the read when aborted; the read then throws `interrupted`. */
  readonly signal?: AbortSignal;
  /** For a polled read: the time limit of a request in milliseconds. Requests are repeated only after Retry-After. */
  readonly attemptTimeoutMs?: number;
}

/** The calls of one service; they throw CliErrors only. */
export interface Calls {
  /** Sends one operation and returns its unwrapped reply. A list has the rows of all pages, but at most `limit`. */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: ReadOptions): Promise<ReplyOf<O>>;
  /** Reads a list page by page until `take` returns false. */
  eachPage<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    take: (rows: readonly unknown[]) => Promise<boolean>,
    more?: Pick<ReadOptions, 'limit'>,
  ): Promise<void>;
}

/** The params of targets. An operation has those whose names are in its path. */
const targetParams = { stack_id: stackParam, server_group_id: serverGroupParam, account_id: accountParam };
type TargetParams = typeof targetParams;
type TargetParamsOf<Path extends string> = Pick<TargetParams, PathParamNames<Path> & keyof TargetParams>;
type OtherParamNames<Path extends string> = Exclude<PathParamNames<Path>, keyof TargetParams>;

/** `params` has no targets. It may be absent if the path has no other names. */
type ParamsSpec<Path extends string, P extends Fields> = [OtherParamNames<Path>] extends [never]
  ? { readonly params?: P }
  : { readonly params: P & { readonly [N in OtherParamNames<Path>]: Field<string | number, 'required'> } };

/** `about` may be absent for a read. See `aboutRead`. */
type AboutSpec<Endpoint extends string> = Endpoint extends `GET ${string}`
  ? { readonly about?: string }
  : { readonly about: string };

interface OperationSpec<V> extends Omit<Operation<any, V>, 'method' | 'path' | 'scope' | 'about' | 'params'> {
  /** The default is `public`. */
  readonly scope?: Scope;
}

/** Declares an endpoint, `GET /stacks/:id`. A `:name` in the path is a target, such as a stack, or a required param. */
export function operation<
  const Endpoint extends `${Method} /${string}`,
  V,
  const P extends Fields = Record<never, never>,
>(
  endpoint: Endpoint,
  spec: OperationSpec<V> & AboutSpec<Endpoint> & ParamsSpec<Endpoint, P>,
): Operation<TargetParamsOf<Endpoint> & P, V> {
  const [method, path] = endpoint.split(' ') as [Method, string];
  const targets = Object.entries(targetParams).filter(([name]) => pathParamNames(path).includes(name));
  const params = { ...(Object.fromEntries(targets) as TargetParamsOf<Endpoint>), ...(spec.params as P) };
  return { scope: 'public', about: aboutRead(path, spec.reply), ...spec, method, path, params };
}

const ownerTexts = { stack_id: ' of a stack', server_group_id: ' of a server group', account_id: ' of an account' };

function aboutRead(path: string, reply: Reply): string {
  if (!isListReply(reply)) return `Show one ${reply.record?.name}.`;
  const [, ownerText = ''] = Object.entries(ownerTexts).findLast(([name]) => path.includes(`/:${name}/`)) ?? [];
  return `List the ${reply.record?.plural}${ownerText}.`;
}

export function isWriteOperation(operation: Operation): boolean {
  return operation.method !== 'GET';
}

/** Returns the `:names` of a path, in order: `pathParamNames('/a/:x')` is `['x']`. */
export function pathParamNames(path: string): readonly string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
}

/** Fills `:names` with percent-encoded values: `/a/:x` becomes `/a/b%20c`. Throws for an empty value, `.` and `..`. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return pathParamNames(path).reduce((filledPath, name) => {
    const value = String(values[name] ?? '');
    if (value === '' || value === '.' || value === '..') throw new RangeError(`unusable ${name} "${value}"`);
    return filledPath.replace(`:${name}`, () => encodeURIComponent(value));
  }, path);
}
