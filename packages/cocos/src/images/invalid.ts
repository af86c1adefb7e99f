import { CocosError } from '#cocos/document';

/** The failure for bytes that are no image this can read. */
export function invalid(message: string, cause?: unknown): CocosError {
  const suggestion = 'Give a PNG or JPEG file that an image viewer can open.';
  return new CocosError('E_INVALID_ARGUMENT', message, { suggestion, cause });
}
