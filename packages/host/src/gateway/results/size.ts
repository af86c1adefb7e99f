import { Buffer } from 'node:buffer';
import { isRecord } from 'mcp-kit/internal';

/** Bytes of UTF-8 that a token of a model stands for, about. */
const bytesPerToken = 4;
/** What models take an image for, about, while it is one that providers take. */
const imageTokens = 1600;
const largestImage = 4 * 1024 * 1024;

/** Whether a block of content goes to a model as a picture or a sound, and not as text. */
export function isMedia(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, data } = block;
  if (type !== 'image' && type !== 'audio') return false;
  return typeof data === 'string' && data.length <= largestImage;
}

/** About how many bytes a value is as JSON; it stops counting where there are more than enough. */
export function bytesOf(value: unknown, enough: number = Infinity, mediaBytes?: number): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && bytes <= enough) {
    const one = left.pop();
    if (typeof one === 'string') bytes += Buffer.byteLength(one) + 2;
    else if (mediaBytes !== undefined && isMedia(one)) bytes += mediaBytes;
    else if (Array.isArray(one)) {
      bytes += 2 + one.length;
      for (const item of one) left.push(item);
    } else if (isRecord(one)) {
      bytes += 2;
      for (const key of Object.keys(one)) {
        bytes += key.length + 4;
        left.push(one[key]);
      }
    } else bytes += 5;
  }
  return bytes;
}

/** About how many tokens a value costs a model; it stops counting where there are more than enough. */
export function tokensOf(value: unknown, enough: number = Infinity): number {
  const bytes = bytesOf(value, enough * bytesPerToken, imageTokens * bytesPerToken);
  return Math.ceil(bytes / bytesPerToken);
}

/** The beginning of a text, in so many bytes at most; no character is cut in two. */
export function beginningOf(text: string, bytes: number): string {
  const start = text.slice(0, bytes);
  if (Buffer.byteLength(start) <= bytes) return start.length === bytes ? wholePairs(start) : start;
  const cut = Buffer.from(start).subarray(0, bytes).toString();
  return cut.replace(/�+$/, '');
}

/** Without the first half of a character that needs two. */
export function wholePairs(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
