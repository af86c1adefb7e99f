import { below, configError, type Place } from '../place.ts';
import { maxDepth, tooDeep } from './strict-json.ts';

/**
 * Refuses what JSON has no text for, whatever the file is written in: only the rest has a fingerprint, so that nobody
 * could say what was approved.
 */
export function requirePlain(value: unknown, place: Place, depth = 0): void {
  if (depth > maxDepth) throw tooDeep(place);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw configError(place, 'must be a number that can be written in digits');
  }
  if (typeof value === 'string') requireWhole(value, place);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    requireWhole(key, place);
    requirePlain(member, below(place, key), depth + 1);
  }
}

function requireWhole(text: string, place: Place): void {
  if (/\p{Surrogate}/u.test(text)) throw configError(place, 'has half a character in it');
}
