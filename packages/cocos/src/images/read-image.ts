import { invalid } from './invalid.ts';
import { isJpeg, readJpeg } from './jpeg.ts';
import { isPng, readPng } from './png.ts';

/** What the meta of an image depends on. */
export interface ImageFacts {
  readonly format: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  /** Decodes the alpha of each pixel, line by line, while others run; absent where the editor trims nothing. */
  readonly alpha?: (() => Promise<Uint8Array>) | undefined;
}

/** Reads the facts of a PNG or JPEG from its bytes, whatever its name is. */
export function readImage(bytes: Uint8Array): ImageFacts {
  if (isPng(bytes)) return readPng(bytes);
  if (isJpeg(bytes)) return readJpeg(bytes);
  throw invalid('the file is neither a PNG nor a JPEG');
}
