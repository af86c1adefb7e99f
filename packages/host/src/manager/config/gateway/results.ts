import { asPositive, asRecord } from '../field.ts';
import { below } from '../place.ts';
import type { GatewayMember } from './member.ts';
import { checkMembers } from './members.ts';

/** When a result of a tool is kept instead of shown to a model, and for how long. */
export interface ResultSettings {
  /** Results of more tokens than this, about, are kept; 25,000. */
  readonly maxTokens?: number | undefined;
  /** How long after it was last read a result is forgotten; half an hour. */
  readonly lifetimeMs?: number | undefined;
  /** What all that is kept may take; 64 MiB. */
  readonly maxBytes?: number | undefined;
}

const numbers = ['maxTokens', 'lifetimeMs', 'maxBytes'] as const;

/** `results`: the strongest file that has it says all of it; `false` keeps none. */
export const results: GatewayMember<ResultSettings | false> = {
  read(value, place) {
    if (value === false) return false;
    const raw = asRecord(value, place);
    checkMembers(raw, numbers, place);
    const read = numbers
      .filter((name) => raw[name] !== undefined)
      .map((name) => [name, asPositive(raw[name], below(place, name))]);
    return Object.fromEntries(read);
  },
  join: ([first]) => first?.value ?? {},
};
