import type { Field, Names, Place, ResolvePlace } from '../contract/field.ts';
import type { CallOperation } from '../contract/operation.ts';
import type { Row } from '../contract/record.ts';
import { isObject } from '../contract/values/json-object.ts';
import type { Name } from './candidate.ts';
import type { NameCache } from './name-cache.ts';
import { type Source, sources } from './sources.ts';

/** The service of the command line that is being typed. */
export interface NameLookup {
  readonly call: CallOperation;
  readonly place: ResolvePlace;
  /** What flag, environment or profile say about a place. */
  readonly setting: (place: Place) => string | undefined;
  /** Absent where names cost nothing, or cannot be kept. */
  readonly cache: NameCache | undefined;
  /** Aborted when nobody waits any more. */
  readonly deadline: AbortSignal;
}

export interface Search {
  readonly names: Names;
  /** Words of the command that stand there already, by their names: `{ server_id: 'shop-web-1' }`. */
  readonly words: Readonly<Record<string, string>>;
}

const briskMs = 60_000;
const calmMs = 300_000;
/** Old names are better than none while the service does not answer. */
const stalestMs = 3_600_000;
/** Stands for a service that did not answer in time; it is spared for a while, and whoever presses TAB again is. */
const silence = 'silence';
const silenceMs = 10_000;
/** Newest first; older ones are rarely wanted. */
const mostRows = 300;

/** The names of one kind: as kept, as the service says, or as they were when it does not. Empty after any failure. */
export async function lookUp(search: Search, connection: NameLookup): Promise<readonly Name[]> {
  const source = await sources[search.names]?.();
  if (!source) return [];
  const { cache, deadline } = connection;
  const key = keyOf(search, source, connection);
  const kept = cache?.find(key, source.isBrisk ? briskMs : calmMs);
  if (kept) return kept;
  const stale = () => cache?.find(key, stalestMs) ?? [];
  if (cache?.find(silence, silenceMs)) return stale();
  const asked = ask(search, source, connection).catch(() => undefined);
  const found = await Promise.race([asked, end(deadline)]);
  if (found) cache?.keep(key, found);
  else if (deadline.aborted) cache?.keep(silence, []);
  return found ?? stale();
}

async function ask(search: Search, source: Source, connection: NameLookup): Promise<readonly Name[]> {
  const input = await inputFor(search, source, connection);
  if (!input) return [];
  const reply: unknown = await connection.call(source.list, input, { limit: mostRows });
  return source.read(rowsOf(reply)).filter(({ value }) => value !== '');
}

async function inputFor(
  { words }: Search,
  { list, below }: Source,
  { call, place }: NameLookup,
): Promise<Row | undefined> {
  const placed: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(list.params)) {
    if (field.place) placed[name] = await place(field, undefined, placed);
  }
  if (!below) return placed;
  const servers = async () => {
    const { servers: known } = await import('../resources/server.ts');
    return rowsOf(await call(known.list, { stack_id: String(placed['stack_id']) }));
  };
  const more = await below.input(words[below.word] ?? '', servers);
  return more && { ...placed, ...more };
}

function rowsOf(reply: unknown): readonly Row[] {
  const rows: readonly unknown[] = Array.isArray(reply) ? reply : [reply];
  return rows.filter(isObject);
}

/** As it was typed: two spellings of one stack are two entries, and none costs a request. */
function keyOf({ names, words }: Search, { list, below }: Source, { setting }: NameLookup): string {
  const places = Object.values<Field>(list.params).flatMap(({ place }) => place ?? []);
  return [names, ...places.map((place) => setting(place) ?? ''), below ? (words[below.word] ?? '') : ''].join('\n');
}

function end(deadline: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (deadline.aborted) return resolve(undefined);
    deadline.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
