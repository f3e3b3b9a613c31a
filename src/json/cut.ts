import { JsonFault } from './fault.ts';
import type { JsonScan, Open } from './scan.ts';
import { copySpelling, hasSpellings } from './spelling.ts';

/** Reads one JSON text; `offset` is its place in the whole text, for faults. */
export type ReadPiece = (piece: string, offset: number) => Promise<unknown>;

/** Parses the unparsed text of all open containers, up to the scan position. */
export async function readOpen(text: string, scan: JsonScan, read: ReadPiece): Promise<void> {
  for (const [depth, container] of scan.open.entries()) {
    const child = scan.open[depth + 1];
    if (child?.holder) continue;
    const end = child?.at ?? scan.position;
    await readMembers(container, { text, end, hasChild: child !== undefined, parent: scan.open[depth - 1], read });
    container.from = scan.position;
  }
}

/** Finishes a container that was cut and continues with its parent. */
export function closeContainer(text: string, scan: JsonScan): void {
  const closed = scan.open.at(-1);
  if (text[scan.position] !== (closed?.isObject ? '}' : ']')) throw new JsonFault('syntax', scan.position);
  scan.close();
  const parent = scan.open.at(-1);
  if (parent) parent.from = scan.position;
}

interface Members {
  readonly text: string;
  /** The end of the members, or the start of the last open container. */
  readonly end: number;
  readonly hasChild: boolean;
  readonly parent: Open | undefined;
  readonly read: ReadPiece;
}

async function readMembers(container: Open, { text, end, hasChild, parent, read }: Members): Promise<void> {
  const { isObject, from, holder: earlier } = container;
  // The last container is itself read in pieces; until then a placeholder takes its place.
  const written = text.slice(from, end) + (hasChild ? 'null' : '');
  const blank = isBlank(written);
  if (blank && !earlier) throw new JsonFault('syntax', end);
  const comma = earlier && !blank ? commaIn(written, from) : -1;
  const holder = earlier ?? begin(container, parent);
  if (blank) return;
  const members = written.slice(comma + 1);
  const piece = await read(isObject ? `{${members}}` : `[${members}]`, from + comma);
  addAll(holder, piece as Holder);
}

/** An empty object or list, already placed in its parent. */
function begin(container: Open, parent: Open | undefined): Holder {
  const holder: Holder = container.isObject ? {} : [];
  container.holder = holder;
  if (parent?.holder)
    put(parent.holder, Array.isArray(parent.holder) ? String(parent.holder.length - 1) : parent.name, holder);
  return holder;
}

/** Later members begin with a comma and are not empty. */
function commaIn(written: string, from: number): number {
  const comma = written.search(/[^ \t\n\r]/);
  if (written[comma] !== ',' || isBlank(written.slice(comma + 1))) throw new JsonFault('syntax', from + comma);
  return comma;
}

export function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

type Holder = Record<string, unknown> | unknown[];

function addAll(holder: Holder, piece: Holder): void {
  const offset = Array.isArray(holder) ? holder.length : 0;
  if (Array.isArray(holder)) for (const item of piece as unknown[]) holder.push(item);
  else for (const [name, value] of Object.entries(piece)) put(holder, name, value);
  if (!hasSpellings(piece)) return;
  for (const key of Object.keys(piece)) {
    const placed = Array.isArray(holder) ? String(offset + Number(key)) : key;
    copySpelling({ holder: piece, key }, { holder, key: placed });
  }
}

function put(holder: Holder, key: string, value: unknown): void {
  // Assigning `__proto__` would set the prototype instead of storing data.
  if (key === '__proto__')
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  else Reflect.set(holder, key, value);
}
