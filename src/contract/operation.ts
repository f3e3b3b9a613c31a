import type { Field, Fields, Values } from './field.ts';
import type { Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `none` needs no token; `unknown` is that of an endpoint nothing is known about. */
export type Scope = 'public' | 'users' | 'admin' | 'redeploy' | 'none' | 'unknown';

/** One endpoint of the service. */
export interface Operation<P extends Fields = any, V = any> {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly about: string;
  readonly params: P;
  readonly reply: Reply<V>;
  /**
   * Where non-path params travel; default: body for POST, PUT and PATCH, query otherwise. `raw`: the path goes out as it
   * stands, with `query` (URLSearchParams) and `body` (a value, or the text of the body) from the input.
   */
  readonly sends?: 'query' | 'body' | 'raw';
  /** The assumption made where service.md says "not shown". */
  readonly undocumented?: string;
  /** The words that show whether a write took effect, where those of `lister` do not: `action list -s {id}`. */
  readonly check?: string;
  /** The words that list what its id could have meant, for the hint of a 404: `variant list -s {stack_id}`. */
  readonly lister?: string;
  /** What it names by an id of its own, for the message of a 404; its place is added: `deployment {deployment_id}`. */
  readonly missing?: string;
  /** Not in service.md at all; a 404 then means that this service does not offer it. */
  readonly outside?: true;
  /** Query parameters that each row of its list must match in the field of that name: a service may ignore them. */
  readonly filters?: readonly string[];
  /** Why no command offers it. */
  readonly withheld?: string;
}

/** The `:names` of a path: `PathNames<'/stacks/:stack_id/x/:id'>` is `'stack_id' | 'id'`. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a call needs: `InputOf<typeof variants.update>`. */
export type InputOf<O extends Operation> = Values<O['params']>;
/** What a call yields, unwrapped: `ReplyOf<typeof variants.list>` is a list of variants. */
export type ReplyOf<O extends Operation> = O extends Operation<any, infer V> ? V : never;

export interface ReadMore {
  readonly limit?: number | undefined;
  /** Aborts it; it then throws interrupted. */
  readonly signal?: AbortSignal;
  /** Each request has this time, and is repeated only when the service says when: for a read that is done again anyway. */
  readonly attemptMs?: number;
}

/** The calls of one service; all they throw is a Problem. */
export interface Calls {
  /** Sends one operation and returns its unwrapped reply, of a list all pages, at most `limit` rows. */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: ReadMore): Promise<ReplyOf<O>>;
  /** Reads a list page by page, each when the one before was taken, until `take` wants no more. */
  eachPage<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    take: (rows: readonly unknown[]) => Promise<boolean>,
    more?: Pick<ReadMore, 'limit'>,
  ): Promise<void>;
}

/** Declares an endpoint, `GET /stacks/:id`; every `:name` in the path needs a required param of that name. */
export function operation<
  const Endpoint extends `${Method} /${string}`,
  const P extends Fields & { readonly [N in PathNames<Endpoint>]: Field<string | number, 'required'> },
  V,
>(endpoint: Endpoint, spec: Omit<Operation<P, V>, 'method' | 'path'>): Operation<P, V> {
  const [method, path] = endpoint.split(' ') as [Method, string];
  return { method, path, ...spec };
}

/** True when the call changes something at the service. */
export function writes(operation: Operation): boolean {
  return operation.method !== 'GET';
}

/** The `:names` of a path, in order: `pathNames('/a/:x')` is `['x']`. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
}

/**
 * Fills `:names` with percent-encoded values: `fillPath('/a/:x', { x: 'b c' })` is `/a/b%20c`. Values are checked before:
 * an id of `.`, `..` or nothing would address another path.
 */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return pathNames(path).reduce((filled, name) => {
    const value = String(values[name] ?? '');
    if (value === '' || value === '.' || value === '..') throw new RangeError(`unusable ${name} "${value}"`);
    return filled.replace(`:${name}`, () => encodeURIComponent(value));
  }, path);
}
