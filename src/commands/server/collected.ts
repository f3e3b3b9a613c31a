const mostBytes = 1024 * 1024;

/** What one stream of a program printed, up to a mebibyte of it. */
export function collect() {
  const pieces: Buffer[] = [];
  let room = mostBytes;
  let isTruncated = false;
  return {
    add: (piece: Buffer): void => {
      isTruncated ||= piece.length > room;
      if (room > 0) pieces.push(piece.subarray(0, room));
      room -= Math.min(room, piece.length);
    },
    isTruncated: () => isTruncated,
    base64: () => Buffer.concat(pieces).toString('base64'),
    /** Null where it is binary. */
    text: (): string | null => {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      try {
        // As of a stream that goes on, without a last character that was cut.
        return decoder.decode(Buffer.concat(pieces), { stream: isTruncated });
      } catch {
        return null;
      }
    },
  };
}

const lineFeed = 0x0a;
/** A line that is longer comes in pieces. */
const longestLine = 65_536;

/** Cuts output into lines, without their line feeds; the last call, without a piece, gives the rest. */
export function lineCutter(): (piece?: Buffer) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    const lines: Buffer[] = [];
    let bytes: Buffer = piece ? Buffer.concat([rest, piece]) : rest;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed)) {
      lines.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
    }
    const isOver = !piece || bytes.length > longestLine;
    if (isOver && bytes.length > 0) lines.push(bytes);
    rest = isOver ? Buffer.alloc(0) : bytes;
    return lines;
  };
}
