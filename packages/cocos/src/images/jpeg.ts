import { invalid } from './invalid.ts';
import type { ImageFacts } from './read-image.ts';

/** Whether the bytes begin as a JPEG does. */
export function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

/** The size of a JPEG, from the header of its first frame. */
export function readJpeg(bytes: Uint8Array): ImageFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 4 <= bytes.length;) {
    if (view.getUint8(at) !== 0xff) {
      throw invalid('the JPEG has something else where a segment begins');
    }
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // Any number of these may stand before a marker.
      at += 1;
    } else if (isAlone(marker)) {
      at += 2;
    } else if (isFrame(marker)) {
      if (at + 9 > bytes.length) break;
      const height = view.getUint16(at + 5);
      const width = view.getUint16(at + 7);
      if (width === 0 || height === 0) throw invalid('the JPEG does not say its size');
      return { format: 'jpeg', width, height, hasAlpha: false };
    } else {
      const length = view.getUint16(at + 2);
      if (length < 2) throw invalid('the JPEG has a segment without a length');
      at += 2 + length;
    }
  }
  throw invalid('the JPEG ends before it says its size');
}

/** Markers without content: restarts and TEM. */
function isAlone(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;
}

/** SOF0 to SOF15, without the three of that range that define tables or are reserved. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
