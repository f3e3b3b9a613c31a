import { isUtf8 } from 'node:buffer';

/** What one stream of a program holds, up to a mebibyte of it. */
export interface Collected {
  add(piece: Buffer): void;
  /** Its text; null where it is binary. */
  readonly text: string | null;
  readonly base64: string;
  readonly isTruncated: boolean;
}

const mostBytes = 1024 * 1024;

export function collect(): Collected {
  const pieces: Buffer[] = [];
  let size = 0;
  let isTruncated = false;
  const bytes = () => Buffer.concat(pieces);
  return {
    add: (piece) => {
      const kept = piece.subarray(0, mostBytes - size);
      isTruncated ||= kept.length < piece.length;
      size += kept.length;
      if (kept.length > 0) pieces.push(kept);
    },
    get text() {
      const whole = isTruncated ? withoutHalf(bytes()) : bytes();
      return isUtf8(whole) ? whole.toString('utf8') : null;
    },
    get base64() {
      return bytes().toString('base64');
    },
    get isTruncated() {
      return isTruncated;
    },
  };
}

/** Without a last character that was cut. */
function withoutHalf(bytes: Buffer): Buffer {
  const start = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  const kind = [0xf0, 0xe0, 0xc0].findIndex((least) => (bytes[start] ?? 0) >= least);
  const length = kind < 0 ? 1 : 4 - kind;
  return bytes.length - start < length ? bytes.subarray(0, start) : bytes;
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
