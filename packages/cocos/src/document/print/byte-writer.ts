/** Puts bytes together, most of which are copied from others. */
export interface ByteWriter {
  /** How many there are by now. */
  length(): number;
  /** Copies a range of the source. */
  copy(from: number, to: number): void;
  /** Whether the last thing that was copied ended there in the source. */
  isAt(offset: number): boolean;
  write(bytes: Uint8Array): void;
  /** Writes a number from 0 on in decimal digits. */
  writeNumber(value: number): void;
  /** The same in the place of as many digits, which are there already. */
  overwriteNumber(at: number, value: number): void;
  bytes(): Uint8Array;
}

/** Less than this is copied faster byte by byte than by a call. */
const fewBytes = 256;

/** A writer into a room. Ranges that follow each other are copied in one go. */
export function byteWriter(source: Uint8Array, target: Uint8Array): ByteWriter {
  let written = 0;
  // A range of the source that is still to be copied.
  let [from, to] = [0, 0];
  // Where other digits come once all is copied: so what is copied is long, and quick.
  const overwritten: number[] = [];
  const flush = (): void => {
    const count = to - from;
    if (count >= fewBytes) target.set(source.subarray(from, to), written);
    else for (let at = 0; at < count; at += 1) target[written + at] = source[from + at] ?? 0;
    written += count;
    from = to;
  };
  const putNumber = (start: number, count: number, value: number): void => {
    for (let at = start + count - 1, rest = value; at >= start; at -= 1) {
      target[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  };
  return {
    length: () => written + to - from,
    copy(start, end) {
      if (start !== to) {
        flush();
        from = start;
      }
      to = end;
    },
    isAt: (offset) => to === offset,
    write(bytes) {
      flush();
      target.set(bytes, written);
      written += bytes.length;
    },
    writeNumber(value) {
      flush();
      const count = digitCount(value);
      putNumber(written, count, value);
      written += count;
    },
    overwriteNumber(at, value) {
      overwritten.push(at, value);
    },
    bytes() {
      flush();
      for (let each = 0; each < overwritten.length; each += 2) {
        const value = overwritten[each + 1] ?? 0;
        putNumber(overwritten[each] ?? 0, digitCount(value), value);
      }
      return target.subarray(0, written);
    },
  };
}

/** How many decimal digits a number from 0 on has. */
export function digitCount(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 10; rest /= 10) count += 1;
  return count;
}
