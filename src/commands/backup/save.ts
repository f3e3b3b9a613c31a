import type { Fetch, FileHead, Sink } from '../../contract/exchange.ts';
import type { PartOrigin } from '../../files/part/part-claim.ts';
import { openPart, type PartFile } from '../../files/part/part-file.ts';
import { Problem } from '../../problems/problem.ts';

/** One file to be written, from one part or from several in order. */
export interface SaveTarget {
  readonly target: string;
  readonly force: boolean;
  /** Continue what an earlier download left, and leave what comes now for a later one. */
  readonly resume: boolean;
  /** Each asks the service for a signed address. */
  readonly links: readonly (() => Promise<string>)[];
  /** Fewer bytes than this are a file that was cut short; 0 when nothing is known. */
  readonly leastBytes: number;
  /** More bytes than this are another file. */
  readonly mostBytes: number;
}

/** Shows how far one part is; `bytes` is undefined when the host does not say. */
export interface Meter {
  begin(label: string, bytes: number | undefined): void;
  add(bytes: number): void;
  end(): void;
}

export interface SaveDeps {
  readonly fetch: Fetch;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Told when a file starts again that was to be continued. */
  readonly note: (line: string) => void;
}

/** Writes the file and returns its size in bytes; whatever goes wrong, it has no name then. Throws a Problem. */
export async function save(target: SaveTarget, deps: SaveDeps): Promise<number> {
  const part = await openPart(target.target, target);
  try {
    await fill(part, target, deps);
    const bytes = part.bytes();
    if (bytes < target.leastBytes) throw tooShort(bytes, target);
    await part.finish();
    return bytes;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw (await isKept(part, target, error))
      ? kept(error, target.target, part.bytes())
      : nothingKept(error, target.target);
  } finally {
    await part.discard();
  }
}

async function fill(part: PartFile, saved: SaveTarget, { fetch, meter, signal, note }: SaveDeps): Promise<void> {
  const { target, links } = saved;
  for (const [index, link] of links.entries()) {
    const label = links.length === 1 ? target : `${target}, part ${index + 1} of ${links.length}`;
    const sink: Sink = {
      begin: (bytes, head) => {
        if (part.start && !head.continues) {
          part.restart();
          note(`${target} starts again: the host did not prove that the rest belongs to it`);
        }
        const size = bytes === undefined ? undefined : part.bytes() + bytes;
        if (size !== undefined) checkMost(size, saved);
        part.expect(bytes, originOf(size, head, links.length));
        meter.begin(label, bytes);
      },
      take: (chunk) => {
        checkMost(part.bytes() + chunk.byteLength, saved);
        part.write(chunk);
        meter.add(chunk.byteLength);
      },
    };
    try {
      await fetchFresh(link, (address, continues) =>
        fetch(address, continues ? { ...sink, start: part.start } : sink, signal),
      );
    } finally {
      meter.end();
    }
  }
}

/** A file of several parts cannot be continued: only one of them would be proved. */
function originOf(size: number | undefined, { validator }: FileHead, parts: number): PartOrigin | undefined {
  return size !== undefined && validator !== undefined && parts === 1 ? { size, validator } : undefined;
}

/** How storage hosts spell a signature that has run out. */
const expired: ReadonlySet<number> = new Set([400, 401, 403, 410]);

/** How they refuse to continue: with nothing, or with another range. */
const notTheRest: ReadonlySet<number> = new Set([206, 416]);

/** A link that is refused was perhaps too old: it is asked for once more. So is a whole file where its rest is refused. */
async function fetchFresh(
  link: () => Promise<string>,
  fetch: (address: string, continues: boolean) => Promise<void>,
): Promise<void> {
  try {
    await fetch(await link(), true);
  } catch (error) {
    const status = error instanceof Problem && error.kind === 'unavailable' ? error.details.status : undefined;
    if (status === undefined || !(expired.has(status) || notTheRest.has(status))) throw error;
    await fetch(await link(), !notTheRest.has(status));
  }
}

/** Only a broken transfer can be continued, and only where the host can later prove the rest. */
async function isKept(part: PartFile, { resume }: SaveTarget, { kind }: Problem): Promise<boolean> {
  if (!resume || !part.canContinue() || !['unavailable', 'interrupted'].includes(kind)) return false;
  await part.keep();
  return true;
}

function checkMost(bytes: number, { target, mostBytes }: SaveTarget): void {
  if (bytes <= mostBytes) return;
  const message = `${target} is larger than ${mostBytes} bytes, which is far more than the service knows of`;
  throw new Problem('unavailable', message);
}

function tooShort(bytes: number, { target, leastBytes }: SaveTarget): Problem {
  return new Problem('unavailable', `${target} has ${bytes} bytes, and the service knows of ${leastBytes}`);
}

function nothingKept({ kind, message, details }: Problem, target: string): Problem {
  // A file before it may have been written.
  const why = kind === 'interrupted' ? 'interrupted' : message;
  return new Problem(kind, `${why}; nothing of ${target} was kept`, details);
}

function kept({ kind, message, details }: Problem, target: string, bytes: number): Problem {
  return new Problem(kind, `${message}; ${bytes} bytes of ${target} are kept; --resume continues it`, details);
}
