import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

/** A font with the widths of Arial, in parts by script; plain and bold. */
const parts = ['latin', 'latin-ext', 'greek', 'cyrillic', 'vietnamese'];
const weights = [400, 700];

export const fontFamily = 'Arimo';

let loaded: Promise<readonly Uint8Array[]> | undefined;

/** The files of the font, as those who draw take them; read once. */
export function fonts(): Promise<readonly Uint8Array[]> {
  loaded ??= Promise.all(
    weights.flatMap((weight) => parts.map((part) => fontOf(`arimo-${part}-${weight}-normal.woff`))),
  );
  return loaded;
}

async function fontOf(name: string): Promise<Uint8Array> {
  const { resolve } = createRequire(import.meta.url);
  return unpacked(await readFile(resolve(`@fontsource/arimo/files/${name}`)));
}

const unzip = promisify(inflate);

/** The header and each entry of the list of tables, in bytes: as it is packed, and as it is not. */
const packed = { header: 44, entry: 20 };
const plain = { header: 12, entry: 16 };

/** Makes a TrueType font of WOFF, which is the same with every table deflated. */
async function unpacked(woff: Buffer): Promise<Uint8Array> {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(plain.header + plain.entry * count);
  const largest = 2 ** Math.floor(Math.log2(count));
  head.writeUInt32BE(woff.readUInt32BE(4), 0);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(largest * plain.entry, 6);
  head.writeUInt16BE(Math.log2(largest), 8);
  head.writeUInt16BE((count - largest) * plain.entry, 10);
  const pieces: Uint8Array[] = [head];
  let end = head.length;
  for (let at = 0; at < count; at++) {
    const from = packed.header + packed.entry * at;
    const [offset, size, length] = [4, 8, 12].map((place) => woff.readUInt32BE(from + place));
    const stored = woff.subarray(offset, (offset ?? 0) + (size ?? 0));
    const table = size === length ? stored : await unzip(stored);
    const to = plain.header + plain.entry * at;
    woff.copy(head, to, from, from + 4);
    woff.copy(head, to + 4, from + 16, from + 20);
    head.writeUInt32BE(end, to + 8);
    head.writeUInt32BE(table.length, to + 12);
    const padding = Buffer.alloc(-table.length & 3);
    pieces.push(table, padding);
    end += table.length + padding.length;
  }
  return Buffer.concat(pieces);
}
