import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { DownloadSink } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { openPart, type PartFile } from '../../files/part-file.ts';

interface Download {
  readonly target: string;
  readonly force: boolean;
  readonly resume: boolean;
  readonly resumeCommand: CommandLine;
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

/** Downloads a file and returns its size in bytes. The file gets its final name only when it is complete. */
export async function save(context: Context, download: Download): Promise<number> {
  const { target, leastBytes, resumeCommand } = download;
  const partFile = await openPart(target, { ...download, signal: context.host.signal });
  try {
    if (partFile.isUnverified) context.note(`downloading ${target} again: ${target}.part could not be verified`);
    await saveParts(context, partFile, download);
    const bytes = partFile.bytes();
    if (bytes < leastBytes) {
      throw new CliError('unavailable', `${target} is incomplete: ${bytes} of ${leastBytes} bytes`);
    }
    await partFile.finish();
    return bytes;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { kind, message, details } = error;
    if (kind === 'internal' || !partFile.canContinue()) {
      // An earlier file of the same run may have been saved, so the message names only this file.
      const why = kind === 'interrupted' ? 'interrupted' : message;
      throw error.with({}, `${why}; ${target} was not saved`);
    }
    partFile.keep();
    const keptText = `${partFile.bytes()} bytes of ${target} were kept`;
    throw error.with({ hint: details.hint ?? resumeCommand }, `${message}; ${keptText}`);
  } finally {
    await partFile.discard();
  }
}

async function saveParts({ host, note }: Context, partFile: PartFile, download: Download): Promise<void> {
  const { target, links } = download;
  const { downloadFile, signal } = host;
  const meter = await host.createMeter();
  for (const [index, requestLink] of links.entries()) {
    const label = links.length === 1 ? target : `${target}, part ${index + 1} of ${links.length}`;
    const sink: DownloadSink = {
      begin: (bytes, { validator, continues }) => {
        if (partFile.start && !continues) {
          partFile.restart();
          note(`downloading ${target} again: the host did not confirm that it is the same file`);
        }
        const size = bytes === undefined ? undefined : partFile.bytes() + bytes;
        if (size !== undefined) checkMostBytes(size, download);
        // A file of several parts cannot be continued, because only one part could be verified.
        const canVerify = size !== undefined && validator !== undefined && links.length === 1;
        partFile.begin(bytes, canVerify ? { size, validator } : undefined);
        meter.begin(label, bytes);
      },
      take: (chunk) => {
        checkMostBytes(partFile.bytes() + chunk.byteLength, download);
        partFile.write(chunk);
        meter.add(chunk.byteLength);
      },
    };
    try {
      await fetchWithFreshLink(requestLink, (address, shouldContinue) =>
        downloadFile(address, shouldContinue ? { ...sink, start: partFile.start } : sink, signal),
      );
    } finally {
      meter.end();
    }
  }
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

function checkMostBytes(bytes: number, { target, mostBytes }: Download): void {
  if (bytes <= mostBytes) return;
  const message = `${target} is too large: more than ${mostBytes} bytes, far above the size the service shows`;
  throw new CliError('unavailable', message);
}
