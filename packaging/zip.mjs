import { crc32, deflateRawSync } from 'node:zlib';

const madeByUnix = 0x03_14;
const needed = 20;
const isUtf8 = 0x08_00;
const deflated = 8;
/** 1980-01-01, the first date of the zip format: the same bytes each time. */
const firstDay = 0x00_21;
const executable = 0o100755 * 0x1_00_00;

/** A zip archive with one program in it. */
export function zipOf(name, bytes) {
  const packed = deflateRawSync(bytes);
  const shared = fields([2, needed], [2, isUtf8], [2, deflated], [2, 0], [2, firstDay], [4, crc32(bytes)]);
  const sizes = fields([4, packed.length], [4, bytes.length], [2, name.length], [2, 0]);
  const local = [signature(3, 4), shared, sizes, Buffer.from(name), packed];
  const more = fields([2, 0], [2, 0], [2, 0], [4, executable], [4, 0]);
  const central = Buffer.concat([signature(1, 2), fields([2, madeByUnix]), shared, sizes, more, Buffer.from(name)]);
  const start = local.reduce((sum, part) => sum + part.length, 0);
  const end = fields([2, 0], [2, 0], [2, 1], [2, 1], [4, central.length], [4, start], [2, 0]);
  return Buffer.concat([...local, central, signature(5, 6), end]);
}

function signature(one, other) {
  return Buffer.from(['P'.charCodeAt(0), 'K'.charCodeAt(0), one, other]);
}

/** Little-endian numbers, each of so many bytes. */
function fields(...numbers) {
  return Buffer.concat(
    numbers.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
}
