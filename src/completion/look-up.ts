import type { Field, Names, ResolveTarget, TargetKind } from '../contract/field.ts';
import type { Calls } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { isObject } from '../contract/values/json.ts';
import type { Name } from './candidate.ts';
import type { NameCache } from './name-cache.ts';
import { type Source, sources } from './sources.ts';

export interface NameLookup extends Calls {
  readonly resolveTarget: ResolveTarget;
  /** The value of a place from flag, environment or profile. */
  readonly setting: (place: TargetKind) => string | undefined;
  /** Absent when names need no request or cannot be saved. */
  readonly cache: NameCache | undefined;
  /** Ends each call. */
  readonly deadline: AbortSignal;
}

interface Search {
  readonly names: Names;
  /** Arguments typed before the cursor, by field name: `{ server_id: 'shop-web-1' }`. */
  readonly args: Readonly<Record<string, string>>;
}

const shortMs = 60_000;
const longMs = 300_000;
/** Old names are used while the service does not respond. */
const stalestMs = 3_600_000;
/** Cache entry for a service that did not respond in time. No request is sent for a while, so that TAB stays fast. */
const noResponse = 'noResponse';
const noResponseMs = 10_000;
/** Of what changes often: newest first; older ones are rarely needed. */
const mostRows = 300;

/** The names of one kind: from the cache, from the service, or old ones if it fails. Empty after any failure. */
export async function lookUp(search: Search, connection: NameLookup): Promise<readonly Name[]> {
  const source = await sources[search.names]?.();
  if (!source) return [];
  const { cache, deadline } = connection;
  const key = keyOf(search, source, connection);
  const cached = cache?.find(key, source.changesOften ? shortMs : longMs);
  if (cached) return cached;
  const stale = cache?.find(key, stalestMs) ?? [];
  // A long list takes many requests, so it is read once an hour.
  if (stale.length > mostRows || cache?.find(noResponse, noResponseMs)) return stale;
  const { names, isWhole } = await ask(search, source, connection);
  const isBest = isWhole || stale.length === 0;
  if (isBest && (isWhole || names.length > 0)) cache?.keep(key, names, isWhole ? undefined : noResponseMs);
  if (!isWhole && deadline.aborted) cache?.keep(noResponse, []);
  return isBest ? names : stale;
}

/** After a failure, or at the deadline, the names on the pages until then. */
async function ask(search: Search, source: Source, connection: NameLookup) {
  const { list, read, changesOften } = source;
  const rows: Row[] = [];
  const add = async (page: readonly unknown[]) => {
    rows.push(...rowsOf(page));
    return true;
  };
  const isPaged = ['page', 'rows'].includes(list.reply.envelope);
  let isWhole = true;
  try {
    const input = await inputFor(search, source, connection);
    if (input && isPaged) await connection.eachPage(list, input, add, { limit: changesOften && mostRows });
    else if (input) rows.push(...rowsOf(await connection.call(list, input)));
  } catch {
    isWhole = false;
  }
  return { names: read(rows).filter(({ value }) => value !== ''), isWhole };
}

async function inputFor(
  { args }: Search,
  { list, below }: Source,
  { call, resolveTarget }: NameLookup,
): Promise<Row | undefined> {
  const placed: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(list.params)) {
    if (field.target) placed[name] = await resolveTarget(field, undefined, placed);
  }
  if (!below) return placed;
  const stack_id = String(placed['stack_id']);
  const more = await below.input(args[below.argument] ?? '', {
    servers: async () => rowsOf(await call((await import('../resources/server.ts')).servers.list, { stack_id })),
    backups: async () => rowsOf(await call((await import('../resources/backup.ts')).backups.list, { id: stack_id })),
  });
  return more && { ...placed, ...more };
}

function rowsOf(reply: unknown): readonly Row[] {
  const rows: readonly unknown[] = Array.isArray(reply) ? reply : [reply];
  return rows.filter(isObject);
}

function keyOf({ names, args }: Search, { list, below }: Source, { setting }: NameLookup): string {
  // Places as they were typed, which needs no request. Two spellings of one stack are two entries.
  const places = Object.values<Field>(list.params).flatMap(({ target }) => target ?? []);
  return [names, ...places.map((place) => setting(place) ?? ''), below ? (args[below.argument] ?? '') : ''].join('\n');
}
