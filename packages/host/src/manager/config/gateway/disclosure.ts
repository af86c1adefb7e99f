import { asText } from '../field.ts';
import { configError } from '../place.ts';
import type { GatewayMember } from './member.ts';

/** What clients see of many tools: all of them, a few that find and call them, or what suits the client. */
export type Disclosure = 'auto' | 'full' | 'search';

const words: readonly Disclosure[] = ['auto', 'full', 'search'];

/** `disclosure`: the strongest file that has it counts. */
export const disclosure: GatewayMember<Disclosure> = {
  read(value, place) {
    const said = asText(value, place);
    const found = words.find((word) => word === said);
    if (found !== undefined) return found;
    throw configError(place, `must be one of ${words.join(', ')}, not ${said}`);
  },
  join: ([first]) => first?.value ?? 'auto',
};
