import type { Fetch, Sink } from '../contract/exchange.ts';
import { openPart, type PartFile } from '../files/part-file.ts';
import { Problem } from '../problems/problem.ts';

/** One file to be written, from one part or from several in order. */
export interface Saving {
  readonly target: string;
  readonly force: boolean;
  /** Each asks the service for a signed address. */
  readonly links: readonly (() => Promise<string>)[];
  /** Fewer bytes than this are a file that was cut short; 0 when nothing is known. */
  readonly leastBytes: number;
}

/** Shows how far one part is; `bytes` is undefined when the host does not say. */
export interface Meter {
  begin(label: string, bytes: number | undefined): void;
  add(bytes: number): void;
  end(): void;
}

export interface Means {
  readonly fetch: Fetch;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** Writes the file and returns its size in bytes; whatever goes wrong, nothing of it stays. Throws a Problem. */
export async function save(saving: Saving, means: Means): Promise<number> {
  const part = await openPart(saving.target, saving);
  try {
    const bytes = await fill(part, saving, means);
    if (bytes < saving.leastBytes) throw tooShort(bytes, saving);
    await part.finish();
    return bytes;
  } catch (error) {
    throw error instanceof Problem ? nothingKept(error, saving.target) : error;
  } finally {
    await part.discard();
  }
}

async function fill(part: PartFile, { target, links }: Saving, { fetch, meter, signal }: Means): Promise<number> {
  let total = 0;
  for (const [index, link] of links.entries()) {
    const label = links.length === 1 ? target : `${target}, part ${index + 1} of ${links.length}`;
    const sink: Sink = {
      begin: (bytes) => meter.begin(label, bytes),
      take: (chunk) => {
        part.write(chunk);
        total += chunk.byteLength;
        meter.add(chunk.byteLength);
      },
    };
    try {
      await fetchFresh(link, (address) => fetch(address, sink, signal));
    } finally {
      meter.end();
    }
  }
  return total;
}

/** How storage hosts spell a signature that has run out. */
const expired: ReadonlySet<number> = new Set([400, 401, 403, 410]);

/** A link that is refused was perhaps too old: it is asked for once more. */
async function fetchFresh(link: () => Promise<string>, fetch: (address: string) => Promise<void>): Promise<void> {
  try {
    await fetch(await link());
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'unavailable' && expired.has(error.details.status ?? 0)))
      throw error;
    await fetch(await link());
  }
}

function tooShort(bytes: number, { target, leastBytes }: Saving): Problem {
  return new Problem('unavailable', `${target} has ${bytes} bytes, and the service knows of ${leastBytes}`);
}

function nothingKept({ kind, message, details }: Problem, target: string): Problem {
  return new Problem(kind, `${message}; nothing of ${target} was kept`, details);
}
