import { nearMiss } from 'mcp-kit/internal';
import { below, configError, type Place } from '../place.ts';

/** Refuses members that an object of `gateway` does not have, and says which it has. */
export function checkMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  place: Place,
): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const near = nearMiss(unknown, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  throw configError(below(place, unknown), `unknown field \`${unknown}\``, {
    hint: `${meant}Known are ${known.join(', ')}.`,
  });
}
