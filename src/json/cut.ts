import { JsonFault } from './fault.ts';
import type { JsonScan, Open } from './scan.ts';
import { copySpelling, hasSpellings } from './spelling.ts';

/** Reads one JSON text; `offset` is its place in the whole text, for faults. */
export type ReadPiece = (piece: string, offset: number) => Promise<unknown>;

/** Reads what is still text in all open containers, up to where the scan stands. */
export async function readOpen(text: string, scan: JsonScan, read: ReadPiece): Promise<void> {
  for (const [depth, container] of scan.open.entries()) {
    const child = scan.open[depth + 1];
    if (child?.holder) continue;
    const end = child?.at ?? scan.position;
    await readMembers(container, { text, end, hasChild: child !== undefined, parent: scan.open[depth - 1], read });
    container.from = scan.position;
  }
}

/** Goes past the end of a container that was cut; its parent goes on behind it. */
export function closeContainer(text: string, scan: JsonScan): void {
  const closed = scan.open.at(-1);
  if (text[scan.position] !== (closed?.isObject ? '}' : ']')) throw new JsonFault('syntax', scan.position);
  scan.close();
  const parent = scan.open.at(-1);
  if (parent) parent.from = scan.position;
}

interface Members {
  readonly text: string;
  /** Where they end, or where the container begins that is the last of them. */
  readonly end: number;
  readonly hasChild: boolean;
  readonly parent: Open | undefined;
  readonly read: ReadPiece;
}

async function readMembers(container: Open, { text, end, hasChild, parent, read }: Members): Promise<void> {
  const { isObject, from, holder: earlier } = container;
  // The container that comes last is read piece by piece itself; until then something stands in its place.
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

/** An empty holder, in its place in the parent. */
function begin(container: Open, parent: Open | undefined): Holder {
  const holder: Holder = container.isObject ? {} : [];
  container.holder = holder;
  if (parent?.holder)
    put(parent.holder, Array.isArray(parent.holder) ? String(parent.holder.length - 1) : parent.name, holder);
  return holder;
}

/** Members that follow earlier ones begin with a comma, behind which there is something. */
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
  // Assigned, `__proto__` would be no data.
  if (key === '__proto__')
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  else Reflect.set(holder, key, value);
}
