import type { CommandLine } from '../../contract/command-line.ts';
import type { DownloadFile, DownloadHead, DownloadSink } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { openPart, type PartFile, type PartOrigin } from '../../files/part-file.ts';

/** One file to be written, from one part or from several in order. */
interface SaveTarget {
  readonly target: string;
  readonly force: boolean;
  readonly resume: boolean;
  readonly toResume: CommandLine;
  /** For each part, a function that requests the signed URL of the part from the service. */
  readonly links: readonly (() => Promise<string>)[];
  /** A file with fewer bytes is incomplete; 0 for an unknown size. */
  readonly leastBytes: number;
  readonly mostBytes: number;
}

/** Shows the progress of one part; `bytes` is undefined if the storage host does not send the size. */
export interface Meter {
  begin(label: string, bytes: number | undefined): void;
  add(bytes: number): void;
  end(): void;
}

interface SaveDeps {
  readonly fetch: DownloadFile;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Prints a note when a download cannot be resumed and starts again. */
  readonly note: (line: string) => void;
}

/** Downloads a file and returns its size in bytes. The file gets its final name only when it is complete. */
export async function save(target: SaveTarget, deps: SaveDeps): Promise<number> {
  const { signal, note } = deps;
  const part = await openPart(target.target, { ...target, signal });
  try {
    if (part.isUnverified) note(`downloading ${target.target} again: ${target.target}.part could not be verified`);
    await saveParts(part, target, deps);
    const bytes = part.bytes();
    if (bytes < target.leastBytes) {
      throw new CliError('unavailable', `${target.target} is incomplete: ${bytes} of ${target.leastBytes} bytes`);
    }
    await part.finish();
    return bytes;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { kind, message, details } = error;
    if (kind === 'internal' || !part.canContinue()) {
      // An earlier file of the same run may have been saved, so the message names only this file.
      const why = kind === 'interrupted' ? 'interrupted' : message;
      throw error.with({}, `${why}; ${target.target} was not saved`);
    }
    part.keep();
    const keptText = `${part.bytes()} bytes of ${target.target} were kept`;
    throw error.with({ hint: details.hint ?? target.toResume }, `${message}; ${keptText}`);
  } finally {
    await part.discard();
  }
}

async function saveParts(part: PartFile, file: SaveTarget, { fetch, meter, signal, note }: SaveDeps): Promise<void> {
  const { target, links } = file;
  for (const [index, requestLink] of links.entries()) {
    const label = links.length === 1 ? target : `${target}, part ${index + 1} of ${links.length}`;
    const sink: DownloadSink = {
      begin: (bytes, head) => {
        if (part.start && !head.continues) {
          part.restart();
          note(`downloading ${target} again: the host did not confirm that it is the same file`);
        }
        const size = bytes === undefined ? undefined : part.bytes() + bytes;
        if (size !== undefined) checkMostBytes(size, file);
        part.begin(bytes, partOriginOf(size, head, links.length));
        meter.begin(label, bytes);
      },
      take: (chunk) => {
        checkMostBytes(part.bytes() + chunk.byteLength, file);
        part.write(chunk);
        meter.add(chunk.byteLength);
      },
    };
    try {
      await fetchWithFreshLink(requestLink, (address, shouldContinue) =>
        fetch(address, shouldContinue ? { ...sink, start: part.start } : sink, signal),
      );
    } finally {
      meter.end();
    }
  }
}

function partOriginOf(
  size: number | undefined,
  { validator }: DownloadHead,
  partCount: number,
): PartOrigin | undefined {
  // A file of several parts cannot be continued, because only one part could be verified.
  return size !== undefined && validator !== undefined && partCount === 1 ? { size, validator } : undefined;
}

/** The statuses with which a storage host may answer an expired signature. */
const expiredStatuses: readonly (number | undefined)[] = [400, 401, 403, 410];
/** The statuses of a storage host that does not send the requested range: 206 with another range, 416 with none. */
const refusedRangeStatuses: readonly (number | undefined)[] = [206, 416];

async function fetchWithFreshLink(
  requestLink: () => Promise<string>,
  fetch: (address: string, shouldContinue: boolean) => Promise<void>,
): Promise<void> {
  try {
    await fetch(await requestLink(), true);
  } catch (error) {
    const status = error instanceof CliError && error.kind === 'unavailable' ? error.details.status : undefined;
    if (!expiredStatuses.includes(status) && !refusedRangeStatuses.includes(status)) throw error;
    // After an expired link a new link is requested. After a refused range the whole file is requested.
    await fetch(await requestLink(), !refusedRangeStatuses.includes(status));
  }
}

function checkMostBytes(bytes: number, { target, mostBytes }: SaveTarget): void {
  if (bytes <= mostBytes) return;
  const message = `${target} is too large: more than ${mostBytes} bytes, far above the size the service shows`;
  throw new CliError('unavailable', message);
}
