// Writes zip files: enough of the format to be unpacked anywhere, and the same bytes for the same files.
import { crc32, deflateRawSync } from 'node:zlib';

/** 1 January 2020, 00:00. */
const stamp = { time: 0, date: (40 << 9) | (1 << 5) | 1 };
const utf8Names = 0x0800;
const deflated = 8;

/** The bytes of a zip file with these files: `{ name, contents }`, names with slashes. */
export function zip(files) {
  const entries = files.map(({ name, contents }) => {
    const packed = deflateRawSync(contents, { level: 9 });
    return { name: Buffer.from(name), contents, packed, sum: crc32(contents) };
  });
  const locals = [];
  const centrals = [];
  let offset = 0;
  for (const entry of entries) {
    const local = Buffer.concat([words('PK\x03\x04', headOf(entry)), entry.name, entry.packed]);
    centrals.push(
      words('PK\x01\x02', [[2, 20], ...headOf(entry), [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]),
      entry.name,
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const count = entries.length;
  const end = words('PK\x05\x06', [
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, central.length],
    [4, offset],
    [2, 0],
  ]);
  return Buffer.concat([...locals, central, end]);
}

/** What the two headers of a file have in common: version, flags, method, time, date, sum, sizes, lengths. */
const headOf = ({ name, contents, packed, sum }) => [
  [2, 20],
  [2, utf8Names],
  [2, deflated],
  [2, stamp.time],
  [2, stamp.date],
  [4, sum],
  [4, packed.length],
  [4, contents.length],
  [2, name.length],
  [2, 0],
];

/** A signature and numbers, `[bytes, value]`, the lowest byte first. */
function words(signature, numbers) {
  const parts = numbers.map(([size, value]) => {
    const part = Buffer.alloc(size);
    part.writeUIntLE(value, 0, size);
    return part;
  });
  return Buffer.concat([Buffer.from(signature, 'latin1'), ...parts]);
}
