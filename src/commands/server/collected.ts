const mostBytes = 1024 * 1024;

/** What one stream of a program printed, up to a mebibyte of it. */
export function collect() {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const isTruncated = () => bytes > mostBytes;
  return {
    add: (piece: Buffer): void => {
      if (bytes < mostBytes) pieces.push(piece.subarray(0, mostBytes - bytes));
      bytes += piece.length;
    },
    isTruncated,
    base64: () => Buffer.concat(pieces).toString('base64'),
    /** Null where it is binary. */
    text: (): string | null => {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      try {
        // As of a stream that goes on, without a last character that was cut.
        return decoder.decode(Buffer.concat(pieces), { stream: isTruncated() });
      } catch {
        return null;
      }
    },
  };
}

/** A line that is longer comes in pieces. */
const longestLine = 65_536;

/** Cuts output into lines, without their line feeds; the last call, without a piece, gives the rest. */
export function lineCutter(): (piece?: Buffer) => readonly Buffer[] {
  // One character a byte.
  let rest = '';
  return (piece) => {
    const lines = `${rest}${piece?.toString('latin1') ?? ''}`.split('\n');
    const last = lines.pop() ?? '';
    const isOver = !piece || last.length > longestLine;
    if (isOver && last !== '') lines.push(last);
    rest = isOver ? '' : last;
    return lines.map((line) => Buffer.from(line, 'latin1'));
  };
}
